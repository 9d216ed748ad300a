package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

const (
	// ringStep is by how much each ring is larger than the next, as a part of a marker.
	ringStep = 0.5
	// largestRing is what a crowd may make of its outermost marker.
	largestRing = 2.7
	// innermost is the size of a marker that has others around it.
	innermost = 0.7
)

// nested leaves all markers where they are. Of those that would cover each other each is an
// outline around the next, so that who is there can be seen, and where exactly.
func nested(all []spot) (spots []spot) {
	for _, crowd := range crowdsOf(all) {
		styles := stylesOf(crowd)
		last := len(styles) - 1
		largest := min(1+ringStep*float64(last), largestRing)
		for i, of := range styles {
			for _, s := range crowd {
				if !s.style.same(of) {
					continue
				}
				if last > 0 {
					s.size = vg.Length(innermost + (largest-innermost)*float64(last-i)/float64(last))
					s.ring = i < last
				}
				spots = append(spots, s)
			}
		}
	}
	return spots
}

// stylesOf are those of a crowd, each once: markers of one curve that cover each other need no outlines.
func stylesOf(crowd []spot) (styles []style) {
	for _, s := range crowd {
		if !slices.ContainsFunc(styles, s.style.same) {
			styles = append(styles, s.style)
		}
	}
	return styles
}

// crowdsOf gathers markers that stand nearer to the first of a crowd than they are wide.
func crowdsOf(all []spot) (crowds [][]spot) {
	for _, s := range all {
		found := false
		for i, crowd := range crowds {
			first := crowd[0].at
			if found = math.Hypot(float64(s.at.X-first.X), float64(s.at.Y-first.Y)) < 2*float64(markerRadius); found {
				crowds[i] = append(crowd, s)
				break
			}
		}
		if !found {
			crowds = append(crowds, []spot{s})
		}
	}
	return crowds
}
