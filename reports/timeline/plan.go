package timeline

import (
	"slices"
	"time"
)

const (
	width      = 1240.0
	margin     = 16.0
	axisHeight = 22.0
	lanePad    = 6.0
	laneGap    = 6.0
	lowestLane = 46.0
)

// plan is a timeline with the place of everything decided. From the top: title, subtitle,
// axis, lanes, axis, legend, notes.
type plan struct {
	Timeline
	scale                  scale
	title, subtitle, notes []string
	lanes                  []lanePlan
	lanesTop, lanesBottom  float64
	height                 float64
}

// lanePlan is a lane from its top: flags in rows, marks in levels, the line, bars in rows.
type lanePlan struct {
	lane        Lane
	top, height float64
	flagBottom  float64
	line        float64
	barTop      float64
	flags       []flag
	marks       []placedMark
	bars        []placedBar
}

func newPlan(t Timeline) *plan {
	nameWidth := 70.0
	for _, lane := range t.Lanes {
		nameWidth = max(nameWidth, textWidth(lane.Name, nameSize*1.06), textWidth(lane.Kind, smallSize))
	}
	p := &plan{Timeline: t}
	p.scale = scale{start: t.Start, end: t.End, left: margin + min(nameWidth, 190) + 16, right: width - margin - 14}
	p.title = wrapped(t.Title, titleSize*1.08, width-2*margin)
	p.subtitle = wrapped(t.Subtitle, 11, width-2*margin)
	p.lanesTop = margin + 20*float64(len(p.title)) + 14*float64(len(p.subtitle)) + 8 + axisHeight
	top := p.lanesTop
	dropped := 0
	for i := range t.Lanes {
		lane := p.newLane(i, top)
		dropped += lane.dropped()
		top += lane.height + laneGap
		p.lanes = append(p.lanes, lane)
	}
	p.lanesBottom = top - laneGap
	notes := slices.Clone(t.Notes)
	if dropped > 0 {
		notes = append(notes, counted(dropped, "text found no room and is", "texts found no room and are")+" shown as a tooltip only.")
	}
	for _, note := range notes {
		p.notes = append(p.notes, wrapped(note, smallSize, width-2*margin)...)
	}
	p.height = p.lanesBottom + axisHeight + 12 + p.legendHeight() + 13*float64(len(p.notes)) + margin
	return p
}

func (p *plan) newLane(index int, top float64) lanePlan {
	lane := lanePlan{lane: p.Lanes[index], top: top}
	var levels, flagRows, barRows int
	lane.marks, levels = placedMarks(lane.lane.Marks, p.scale)
	var flags []flag
	for _, m := range lane.marks {
		if m.text != "" {
			flags = append(flags, newFlag("label", m.x, float64(m.level)*markLevelHeight+4, m.text))
		}
	}
	flags = append(flags, p.messageFlags(index)...)
	lane.flags, flagRows = placed(flags, p.scale.left-4, width-margin-3)
	lane.bars, barRows = placedBars(lane.lane.Bars, p.scale)
	lane.flagBottom = top + lanePad + float64(flagRows)*flagRowHeight
	lane.line = lane.flagBottom + 8 + markLevelHeight*float64(max(0, levels-1))
	lane.barTop = lane.line + 10
	lane.height = max(lowestLane, lane.line+18+lanePad-top, lane.barTop+float64(barRows)*barRowHeight+lanePad-top)
	return lane
}

// messageFlags labels the messages that leave the lane.
func (p *plan) messageFlags(lane int) []flag {
	var texts []string
	var sent []time.Duration
	for _, m := range p.Messages {
		if m.FromLane == lane && m.Label != "" && !m.Quiet && p.scale.shows(m.Sent) {
			texts = append(texts, m.Label)
			sent = append(sent, m.Sent)
		}
	}
	var flags []flag
	for i, text := range condensed(texts) {
		if text != "" {
			flags = append(flags, newFlag("sent", p.scale.x(sent[i]), 0, text))
		}
	}
	return flags
}

func (l lanePlan) dropped() int {
	n := 0
	for _, f := range l.flags {
		if f.dropped {
			n++
		}
	}
	for _, b := range l.bars {
		if b.dropped {
			n++
		}
	}
	return n
}
