package scenarios

import (
	"embed"
	"sort"
	"strings"
)

//go:embed library/*.yaml
var library embed.FS

// LibraryNames returns the names of the shipped scenarios, sorted.
func LibraryNames() []string {
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
	return content, err == nil
}
