// Package section reads and writes parts of a Markdown file that programs fill in: each is what stands
// between a line <!-- heading --> and the next line <!-- end -->.
package section

import (
	"fmt"
	"os"
	"strings"
)

// end is the line behind every section.
const end = "<!-- end -->\n"

// Read returns the text of a section, of which each line ends with a newline.
func Read(file, heading string) (string, error) {
	_, text, _, err := cut(file, heading)
	return text, err
}

// Write puts a text in the place of that of a section.
func Write(file, heading, text string) error {
	before, _, after, err := cut(file, heading)
	if err != nil {
		return err
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return os.WriteFile(file, []byte(before+text+after), 0o644)
}

// cut returns what stands before, in and behind a section. The lines that mark it belong to the outer two.
func cut(file, heading string) (before, text, after string, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", "", "", err
	}
	begin := "<!-- " + heading + " -->\n"
	var inside bool
	for line := range strings.Lines(string(b)) {
		switch whole := strings.TrimSuffix(line, "\n") + "\n"; {
		case after != "" || inside && whole == end:
			after += line
		case inside:
			text += line
		default:
			before += line
			inside = whole == begin
		}
	}
	if after == "" {
		return "", "", "", fmt.Errorf("%s has no place for %q: it needs a line %q and after that a line %q",
			file, heading, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before, text, after, nil
}
