package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost/models"
)

// refusal is why a lock system cannot run with the parameters that it has, and where the
// scenario sets them.
type refusal struct {
	why   string
	at    *scalar
	param string // empty if it is several together
}

// paramsOf returns the parameters of a lock: its defaults, then what the scenario says for
// all locks, then what it says for this one. What is said for all and is nothing for this
// one is a refusal; anything else that is wrong is a mistake.
func (in *Instance) paramsOf(r *reader, d models.Description) (models.Params, refusal) {
	params, refused := models.Defaults(d.Params), refusal{}
	own := in.Scenario.file.For[d.Name].Lock
	refuse := func(at *scalar, param, format string, args ...any) {
		if refused.why == "" {
			refused = refusal{fmt.Sprintf(format, args...), at, param}
		}
	}
	declared := map[string]bool{}
	for _, p := range d.Params {
		declared[p.Name] = true
		for _, s := range []*scalar{in.Scenario.file.Lock[p.Name], own[p.Name]} {
			if !s.set() {
				continue
			}
			v, err := p.Parse(r.text(s))
			var outside *models.RangeError
			switch {
			case err == nil:
				params[p.Name] = v
			case errors.As(err, &outside) && s != own[p.Name]:
				refuse(s, p.Name, "%s %v", p.Name, err)
			default:
				r.fail(s, "%s: %v", p.Name, err)
			}
		}
	}
	for _, key := range sortedKeys(own) {
		if !declared[key] {
			r.fail(own[key], "lock %s has no parameter %q; %s", d.Name, key, oneOf(sortedKeys(declared)))
		}
	}
	if declared["ttl"] && params.Duration("ttl") >= in.until {
		refuse(in.anchorOfTTL(d), "ttl", "%s", in.outlives(params.Duration("ttl")))
	}
	if d.Validate != nil && refused.why == "" {
		if err := d.Validate(params); err != nil {
			refuse(in.anchorOfLock(d), "", "%v", err)
		}
	}
	if refused.why != "" {
		in.checkOwn(r, d)
	}
	return params, refused
}

// checkOwn fails if a lock refused what the scenario says for it alone: nobody else could
// accept that.
func (in *Instance) checkOwn(r *reader, d models.Description) {
	own := in.Scenario.file.For[d.Name].Lock
	if r.failed() || len(own) == 0 {
		return
	}
	params := models.Defaults(d.Params)
	for _, p := range d.Params {
		if s := own[p.Name]; s.set() {
			params[p.Name], _ = p.Parse(r.text(s))
		}
	}
	if ttl := own["ttl"]; ttl.set() && params.Duration("ttl") >= in.until {
		r.fail(ttl, "lock %s: %s", d.Name, in.outlives(params.Duration("ttl")))
	}
	if d.Validate != nil {
		if err := d.Validate(params); err != nil {
			r.fail(in.anchorOfLock(d), "lock %s: %v", d.Name, err)
		}
	}
}

func (in *Instance) outlives(ttl time.Duration) string {
	return fmt.Sprintf("its ttl of %v is not shorter than the run (until: %v), so the lease could never expire in it", ttl, in.until)
}

// anchorOfTTL is where the scenario says how long a lease or the run is.
func (in *Instance) anchorOfTTL(d models.Description) *scalar {
	at := in.Scenario.file.Name
	for _, s := range []*scalar{in.Scenario.file.Until, in.Scenario.file.Lock["ttl"], in.Scenario.file.For[d.Name].Lock["ttl"]} {
		if s.set() {
			at = s
		}
	}
	return at
}

// anchorOfLock is where the scenario says something about the parameters of a lock, for
// errors about several of them together.
func (in *Instance) anchorOfLock(d models.Description) *scalar {
	for _, set := range []map[string]*scalar{in.Scenario.file.For[d.Name].Lock, in.Scenario.file.Lock} {
		for _, p := range d.Params {
			if set[p.Name].set() {
				return set[p.Name]
			}
		}
	}
	return in.Scenario.file.Name
}

// checkRefusals fails where a lock refused what no selected lock accepts.
func (in *Instance) checkRefusals(r *reader, plans []*Plan) {
	var worst *Plan
	for _, p := range plans {
		refused := p.refused.why != "" && !slices.ContainsFunc(plans, p.refused.accepted)
		if refused && (worst == nil || p.refused.param == "" && worst.refused.param != "") {
			worst = p // whose values are right one by one came furthest
		}
	}
	if worst != nil {
		r.fail(worst.refused.at, "lock %s: %s", worst.Describe.Name, worst.refused.why)
	}
}

// accepted reports whether a plan runs with what another lock refused.
func (f refusal) accepted(p *Plan) bool {
	_, has := p.Params[f.param]
	return p.refused.why == "" && (has || f.param == "")
}
