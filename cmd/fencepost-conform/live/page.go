//go:build linux

package live

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"fencepost/checker"
)

// table is what the page says.
func table(results []*result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s/%s: %s. The worlds were behind real time by %v at most.\n\n",
		time.Now().Format("2 January 2006"), runtime.GOOS, runtime.GOARCH, strings.Join(versions(results), ", "), worstLag(results).Round(100*time.Microsecond))
	b.WriteString("| scenario | parameters | lock | library | guard | exclusion | resource | client 2 in after | simulated | runs |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range results {
		p := r.play
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", p.scenario, strings.Join(settings(p), ", "), p.rig.lock, p.rig.library, p.guard, r.cells())
	}
	return b.String()
}

// cells are what was found, between bars.
func (r *result) cells() string {
	switch {
	case r.missing != "":
		return "not played: " + r.missing + " | | | |"
	case r.err != nil:
		return "**could not be played: " + strings.NewReplacer("\n", " ", "|", "/").Replace(r.err.Error()) + "** | | | |"
	}
	second := instant{2, gotIn}
	return fmt.Sprintf("%s | %s | %v | %v | %s", r.value(checker.Exclusion), r.value(checker.ResourceName),
		r.seen.instants[second], r.simulated.instants[second], r.agreement())
}

// value is what a property was, and what it was in the simulator if that has not one value alone.
func (r *result) value(property string) string {
	real, simulated := r.seen.of(property), r.simulated.of(property)
	if real != simulated {
		return real + " (simulated " + simulated + ")"
	}
	return real
}

// agreement is how many runs agree, or in what they do not.
func (r *result) agreement() string {
	if len(r.differs) == 0 {
		return fmt.Sprintf("%d of %d agree", r.seen.runs, r.seen.runs)
	}
	return fmt.Sprintf("%d: **%s**", r.seen.runs, strings.Join(r.differs, "; "))
}

// worstLag is by how much a world was behind real time at most.
func worstLag(results []*result) (worst time.Duration) {
	for _, r := range results {
		worst = max(worst, r.seen.lag)
	}
	return worst
}

// settings are the parameters of a case that are others than those of the scenario and of the lock.
func settings(p *play) (all []string) {
	given := both(p.params, p.values)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		all = append(all, "`"+name+"="+given[name]+"`")
	}
	return all
}

// versions are those of the servers and of the libraries that were played with.
func versions(results []*result) (all []string) {
	add := func(text string) {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, r := range results {
		if r.missing == "" {
			add(r.play.rig.version())
		}
	}
	info, _ := debug.ReadBuildInfo()
	for _, r := range results {
		for _, d := range info.Deps {
			if r.missing == "" && slices.Contains(r.play.rig.modules, d.Path) {
				add(strings.TrimPrefix(d.Path, "github.com/") + " " + d.Version)
			}
		}
	}
	return all
}

// said is the version that a program says that it has.
func said(name, program string, pattern string) func() string {
	return func() string {
		text, _ := exec.Command(program, "--version").CombinedOutput()
		if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
			return name + " " + string(found[1])
		}
		return ""
	}
}

// zookeeperVersion is that in the name that the package gives the same file.
func zookeeperVersion() string {
	files, _ := filepath.Glob(strings.TrimSuffix(zookeeperJar, ".jar") + "-[0-9]*.jar")
	if len(files) == 0 {
		return "ZooKeeper"
	}
	return "ZooKeeper " + strings.TrimSuffix(strings.TrimPrefix(filepath.Base(files[0]), "zookeeper-"), ".jar")
}
