//go:build linux

package live

import (
	"fmt"
	"maps"
	"os"
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

// writePage writes the table of a page anew.
func writePage(file string, results []*result) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const begin, end = "<!-- live -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table: it needs lines %q and %q", file, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(file, []byte(before+begin+table(results)+end+after), 0o644)
}

// table is what the page says.
func table(results []*result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s/%s: %s.\n\n", time.Now().Format("2 January 2006"), runtime.GOOS, runtime.GOARCH, strings.Join(versions(results), ", "))
	b.WriteString("| scenario | parameters | lock | guard | exclusion | resource | client 2 in after | simulated | runs |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range results {
		p := r.play
		settings := strings.Join(settings(p), ", ")
		if why := r.missing; why != "" {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | not played: %s | | | | |\n", p.scenario, settings, p.rig.lock, p.guard, why)
			continue
		}
		second := instant{2, gotIn}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %v | %v | %s |\n", p.scenario, settings, p.rig.lock, p.guard,
			r.seen.of(checker.Exclusion), r.seen.of(checker.ResourceName), r.seen.instants[second], r.simulated.instants[second], r.agreement())
	}
	return b.String()
}

// agreement is how many runs agree, or in what they do not.
func (r *result) agreement() string {
	if len(r.differs) == 0 {
		return fmt.Sprintf("%d of %d agree", r.seen.runs, r.seen.runs)
	}
	return fmt.Sprintf("%d: **%s**", r.seen.runs, strings.Join(r.differs, "; "))
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

// zookeeperVersion is that in the name of the file that the package's link points to.
func zookeeperVersion() string {
	file, _ := filepath.EvalSymlinks(zookeeperJar)
	return "ZooKeeper " + strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "zookeeper-"), ".jar")
}
