package section

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const page = `# Page

<!-- one -->
first

second
<!-- end -->
between
<!-- one and more -->
<!-- end -->
A line with <!-- two --> in it.
<!-- end -->
`

func file(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRead(t *testing.T) {
	name := file(t, page+"<!-- last -->\nof the file\n<!-- end -->")
	for heading, want := range map[string]string{"one": "first\n\nsecond\n", "one and more": "", "last": "of the file\n"} {
		if got, err := Read(name, heading); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", heading, got, err, want)
		}
	}
}

// Only the section changes, also if the text is shorter, or ends in the middle of a line.
func TestWrite(t *testing.T) {
	for _, text := range []string{"other\n", "other", "", "longer than\nthat\nwhich was\nthere\n"} {
		name := file(t, page)
		if err := Write(name, "one", text); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			text = strings.TrimSuffix(text, "\n") + "\n"
		}
		got, err := os.ReadFile(name)
		if want := strings.Replace(page, "first\n\nsecond\n", text, 1); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// A file without the place is left as it is.
func TestNoSuchPlace(t *testing.T) {
	name := file(t, page)
	for _, heading := range []string{"two", "three"} {
		_, err := Read(name, heading)
		for _, err := range []error{err, Write(name, heading, "text\n")} {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "<!-- "+heading+" -->") {
				t.Errorf("%s: %v", heading, err)
			}
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != page {
		t.Errorf("%q, %v", got, err)
	}
	open := file(t, page+"<!-- open -->\n")
	if _, err := Read(open, "open"); err == nil {
		t.Error("a section without an end is read")
	}
	if _, err := Read(name+".not", "one"); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
