package rng

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPresetsAreComplete(t *testing.T) {
	var names []string
	for _, info := range Presets() {
		names = append(names, info.Name)
		if info.Source == "" || !strings.Contains(info.Source, "http") || !strings.Contains(info.Source, "20") {
			t.Errorf("%s: the source needs a year and an address: %q", info.Name, info.Source)
		}
		if kind, _, ok := strings.Cut(info.Condition, ": "); !ok || !slices.Contains([]string{"published", "fit", "choice"}, kind) {
			t.Errorf("%s: condition %q", info.Name, info.Condition)
		}
		d, err := Parse(info.Name)
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
		} else if d.String() != info.Text || info.Text != info.Dist.String() {
			t.Errorf("%s: text %q, parsed %q", info.Name, info.Text, d)
		}
		checkRoundTrip(t, info.Dist)
		if got, ok := Preset(info.Name); !ok || got.Text != info.Text {
			t.Errorf("Preset(%q) = %v, %v", info.Name, got, ok)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("names are not sorted and distinct: %v", names)
	}
	if _, ok := Preset("pause/none"); ok {
		t.Error("there is a preset pause/none")
	}
}

// TestPresetsMatchPublishedQuantiles checks the presets against figures of their
// sources that did not enter them, or the points they were fitted through.
func TestPresetsMatchPublishedQuantiles(t *testing.T) {
	for _, c := range []struct {
		name      string
		at        time.Duration
		survival  float64
		tolerance float64 // relative
	}{
		{"pause/gce-live-migration", 50 * ms, 0.5, 0.001},
		{"pause/gce-live-migration", 300 * ms, 0.01, 0.01},
		{"net/cenic-software", 162 * sec, 0.5, 0.001},
		{"net/cenic-software", 1194 * sec, 0.05, 0.02},
		{"net/cenic-hardware", 32 * 60 * sec, 0.5, 0.001},
		{"net/cenic-hardware", 3700 * 24 * 3600 * ms, 0.05, 0.02},
		{"net/wan", 75*ms + 1300*us, 0.01, 0.02},
		{"net/wan-write", 75*ms + 10600*us, 0.1, 0.02},
		{"net/dallas-london", 56500 * us, 0.5, 0.001},
		{"net/lnkd-ssd", 253 * us, 0.5, 0.02},
		{"net/lnkd-ssd", 1300 * us, 0.01, 0.02},
		{"net/lnkd-disk", 10600 * us, 0.1, 0.02},
		{"net/ymmr-write", 646 * ms, 0.01, 0.02},
		{"net/ymmr", 27 * ms, 0.01, 0.02},
		{"disk/etcd-gp2", 128 * ms, 354.0 / 367535, 1e-9},
		{"disk/etcd-bad", 128 * ms, 865.0 / 1844, 1e-9},
		{"disk/etcd-uneven", 32 * ms, 2742.0 / 760277, 1e-9},
	} {
		info, ok := Preset(c.name)
		if !ok {
			t.Fatalf("no preset %s", c.name)
		}
		if got := info.Dist.Survival(c.at); relative(got, c.survival) > c.tolerance {
			t.Errorf("%s: P(X > %v) = %.5f, published %.5f", c.name, c.at, got, c.survival)
		}
	}
}

// TestPresetTextIsPinned guards the values: a preset changes only on purpose.
func TestPresetTextIsPinned(t *testing.T) {
	h := uint64(0)
	for _, info := range Presets() {
		h = Hash(h, HashString(info.Name), HashString(info.Text), HashString(info.Scale))
	}
	const want = 0x25543b82492fda19
	if h != want {
		t.Errorf("digest of names, texts and scales is %#x, want %#x", h, uint64(want))
	}
}
