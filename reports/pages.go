package reports

import (
	"fmt"
	"io"

	"fencepost/checker"
	"fencepost/scenarios"
)

// histories are the words by which the pages about a run's histories are named.
var histories = []string{"lock", "tokens", "resource"}

func pageFile(history, lock, guard string) string {
	return fmt.Sprintf("%s-%s-%s.html", history, lock, guard)
}

// Pages are porcupine's pages about a run's lock and resource history, by file name: only of
// those that are not linearizable, for in the others there is nothing to find. Each runs the
// seed once more.
func Pages(p *scenarios.Plan, r *Run) map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{}
	if r.Linearizable.Lock == checker.Violated {
		files[pageFile("lock", r.Lock, r.Guard)] = page(p, r.Seed, func(w io.Writer, t *scenarios.Trial) error {
			return t.Checker.Linear.WriteLockPage(w, t.Recorder)
		})
	}
	if r.Linearizable.Resource == checker.Violated {
		files[pageFile("resource", r.Lock, r.Guard)] = page(p, r.Seed, func(w io.Writer, t *scenarios.Trial) error {
			return t.Checker.Linear.WriteResourcePage(w, t.Recorder)
		})
	}
	return files
}

func page(p *scenarios.Plan, seed uint64, write func(io.Writer, *scenarios.Trial) error) func(io.Writer) error {
	return func(w io.Writer) error {
		t := scenarios.NewTrial(p)
		defer t.Close()
		if _, err := t.RunSafely(seed); err != nil {
			return err
		}
		return write(w, t)
	}
}

// pageLinks are Markdown links to the pages about a run's histories that are beside the
// report: those of this lock and guard, or those of a replay, which has one run.
func pageLinks(r *Run, beside map[string]bool) (links []string) {
	for _, h := range histories {
		for _, name := range []string{pageFile(h, r.Lock, r.Guard), h + ".html"} {
			if beside[name] {
				links = append(links, fmt.Sprintf("[%s](%s)", h, name))
			}
		}
	}
	return links
}
