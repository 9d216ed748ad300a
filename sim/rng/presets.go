package rng

import (
	"cmp"
	"slices"
)

// PresetInfo describes a named distribution taken from published data.
type PresetInfo struct {
	Name string // "group/name", as [Parse] accepts it
	Dist Dist
	Text string // canonical text of Dist
	// Source names the publication, its year and a public address.
	Source string
	// Condition says what was observed, on what, and how Dist follows from it. It starts
	// with "published" when Dist states published values as they are, with "fit" when
	// parameters were fitted to published figures, and with "choice" when a part of Dist
	// is ours because nothing was published.
	Condition string
	// Scale is the unit of the factor that the preset accepts in parentheses, as in
	// pause/hbase-juliet(4) for four of them. It is empty if there is no such factor.
	Scale string
}

// Preset returns the preset of that name, without a factor.
func Preset(name string) (PresetInfo, bool) {
	for _, info := range presetTable {
		if info.Name == name {
			return info.withText(), true
		}
	}
	return PresetInfo{}, false
}

// Presets returns all presets sorted by name, in a slice that the caller may change.
func Presets() []PresetInfo {
	all := make([]PresetInfo, len(presetTable))
	for i, info := range presetTable {
		all[i] = info.withText()
	}
	slices.SortFunc(all, func(a, b PresetInfo) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (info PresetInfo) withText() PresetInfo {
	info.Text = info.Dist.String()
	return info
}
