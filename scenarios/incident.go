package scenarios

import "strings"

// incidentPart is the public report that a scenario encodes.
type incidentPart struct {
	ID         *scalar   `yaml:"id"`
	System     *scalar   `yaml:"system"`
	Links      []*scalar `yaml:"links"`
	Parameters *scalar   `yaml:"parameters"`
	Reported   *scalar   `yaml:"reported"`
	Differs    *scalar   `yaml:"differs"`
	at         spot
}

func (incidentPart) describe() mapping {
	return mapping{name: "incident", about: "The public report that a scenario encodes. Nothing of it changes a run.", keys: []key{
		{name: "id", takes: reasonText, needed: true, fixed: true, doc: "its number in the track record, such as `R28`"},
		{name: "system", takes: text, fixed: true, doc: "where it was seen, shown or argued, with the version and the year"},
		{name: "links", takes: text, fixed: true, doc: "where it is told"},
		{name: "parameters", takes: text, fixed: true, doc: "those of the report; what it does not state is said to be chosen"},
		{name: "reported", takes: text, fixed: true, doc: "what came of it, as the report says"},
		{name: "differs", takes: text, fixed: true, doc: "in what the scenario cannot be as the report, and why"},
	}}
}

// Incident is the public report that a scenario encodes.
type Incident struct {
	// ID is its number in the track record, such as R28.
	ID string
	// System is where it was seen, shown or argued, with the version and the year.
	System string
	Links  []string
	// Parameters are those of the report; what it does not state is said to be chosen.
	Parameters string
	// Reported is what came of it, as the report says.
	Reported string
	// Differs says in what the scenario cannot be as the report, and why; empty if in nothing.
	Differs string
}

// readIncident reads it; nil if there is none.
func readIncident(r *reader, p *incidentPart) *Incident {
	if p == nil {
		return nil
	}
	if strings.TrimSpace(r.text(p.ID)) == "" {
		r.fail(p.at.scalar(), "an incident needs an `id:`, by which the track record knows it")
	}
	in := &Incident{ID: r.text(p.ID), System: r.text(p.System), Parameters: r.text(p.Parameters), Reported: r.text(p.Reported), Differs: r.text(p.Differs)}
	for _, link := range p.Links {
		in.Links = append(in.Links, r.text(link))
	}
	return in
}
