package reports

import (
	"fmt"
	"io"
	"strings"

	"fencepost/checker"
	"fencepost/scenarios/assume"
)

const assumptionsHead = `# What each lock needs of the world

%s

- **grants**, **exclusion**: without a guard. The next four are the resource under each guard.
- **3.976s**: the smallest magnitude that broke it. **\***: at some larger ones it was not broken again;
  they stand below the table.
- **not in n**: no run of n broke it, at magnitudes up to the largest that was tried. That is no
  proof: each magnitude has 6 seeds, and 6 runs that are not broken leave any rate up to 46 %% at
  that magnitude possible (Clopper-Pearson, 95 %%). **open** are runs among them that a bound ended, such as of a client that never gets the lock.
- **·**: not run, since nothing was harmed without a guard. **no effect**: the fault changed nothing
  in any run. **anyway**: broken by the same work with nothing that goes wrong. **n/a**: the guard
  needs a token.
- **documented**: whether the system's documents say that this can break the lock, or what to do
  about it. **(1)**: it came out otherwise, and the note says why.

Magnitudes are tried on a ladder first, then by bisection between the first rung that breaks the
property and the one below it; that assumes that what breaks a lock does so, too, if it is worse. So
a few magnitudes above the smallest are tried as well, and the larger rungs. What breaks it in a
narrow window between two rungs alone may be missed. Which kinds there are, and how many servers are
struck, depends on the system: where a leader is elected it is struck, otherwise the first server,
and where a majority of servers decides without a leader, three at once, too.

` + "`fencepost assume --lock NAME`" + ` measures one lock, one of [your own](own-lock.md), too. What the models
leave out is in [validity.md](validity.md).
`

// WriteAssumptionsMarkdown writes the page.
func WriteAssumptionsMarkdown(w io.Writer, locks []assume.LockRows) error {
	p := &printer{w: w}
	p.printf(assumptionsHead, howMeasured())
	p.printf("\n## The kinds\n\n")
	p.markdownRows([]string{"kind", "what goes wrong"}, kindRows(locks))
	if len(locks) > 1 {
		p.assumptionsOverview(locks)
	}
	for i := range locks {
		p.assumptionsOfLock(&locks[i])
	}
	return p.err
}

// assumptionsOverview is a table of kinds and locks.
func (p *printer) assumptionsOverview(locks []assume.LockRows) {
	p.printf("\n## At a glance\n\nWhat broke exclusion; with an **r**, the resource without a guard alone. **-**: neither. Empty: the\nlock has nothing of the kind.\n\n")
	head := []string{"kind"}
	for i := range locks {
		head = append(head, fmt.Sprintf("[%s](#%s)", locks[i].Lock.Name, locks[i].Lock.Name))
	}
	var rows [][]string
	for i := range assume.Kinds {
		row := []string{assume.Kinds[i].Name}
		for k := range locks {
			row = append(row, glance(&locks[k], &assume.Kinds[i]))
		}
		rows = append(rows, row)
	}
	p.markdownRows(head, rows)
}

func glance(l *assume.LockRows, k *assume.Kind) string {
	for i := range l.Rows {
		if r := &l.Rows[i]; r.Kind == k {
			exclusion, bare := r.Of(checker.Exclusion, "none"), r.Of(checker.ResourceName, "none")
			switch {
			case exclusion.Broken():
				return exclusion.Smallest
			case bare.Broken():
				return bare.Smallest + " r"
			}
			return "-"
		}
	}
	return ""
}

func (p *printer) assumptionsOfLock(l *assume.LockRows) {
	p.printf("\n## %s\n\n", l.Lock.Name)
	for _, line := range assumesOf(l) {
		p.printf("- %s\n", line)
	}
	p.printf("\n")
	p.markdownRows(assumptionHead(), markdownSafe(assumptionRows(l)))
	p.assumptionNotes(l, func(line string) { p.printf("%s\n", strings.Replace(line, againUnhurt, `\*`, 1)) })
	replays := replaysOf(l)
	if len(replays) == 0 {
		return
	}
	p.printf("\n<details><summary>The runs that show it</summary>\n\n```text\n")
	for _, r := range replays {
		p.printf("%s\n  %s\n", r.what, r.command)
	}
	p.printf("```\n\n</details>\n")
}

// markdownSafe keeps a star from beginning emphasis.
func markdownSafe(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], againUnhurt, `\*`)
		}
	}
	return rows
}
