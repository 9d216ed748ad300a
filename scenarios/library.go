package scenarios

import (
	"embed"
	"sort"
	"strings"
)

//go:embed library/*.yaml
var library embed.FS

// The probes are embedded too, and found by their names, so that what they show can be replayed.
// They tell no story, so no list has them.
//
//go:embed probes/*.yaml
var probes embed.FS

// LibraryNames returns the names of the shipped scenarios, each followed by its variants.
func LibraryNames() (names []string) {
	for _, name := range libraryFiles() {
		names = append(names, name)
		if s, err := load(name); err == nil {
			names = append(names, s.VariantNames()...)
		}
	}
	return names
}

func libraryFiles() []string {
	entries, err := library.ReadDir("library")
	if err != nil {
		panic("scenarios: the embedded library cannot be read: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	sort.Strings(names)
	return names
}

func libraryFile(name string) ([]byte, bool) {
	content, err := library.ReadFile("library/" + name + ".yaml")
	if err != nil {
		content, err = probes.ReadFile("probes/" + name + ".yaml")
	}
	return content, err == nil
}
