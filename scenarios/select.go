package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Selected loads what names stand for: a scenario of the library or in a file with all its variants,
// one variant, or every scenario of a directory; without names the whole library. With tags it is
// those that have one of them.
func Selected(names, tags []string) ([]*Scenario, error) {
	all, err := expand(names)
	if err != nil {
		return nil, err
	}
	var list []*Scenario
	known := map[string]bool{}
	for _, name := range all {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		for _, tag := range s.Tags {
			known[tag] = true
		}
		if len(tags) == 0 || slices.ContainsFunc(s.Tags, func(tag string) bool { return slices.Contains(tags, tag) }) {
			list = append(list, s)
		}
	}
	for _, tag := range tags {
		if !known[tag] {
			return nil, fmt.Errorf("no scenario that is selected has the tag %q; %s", tag, oneOf(sortedKeys(known)))
		}
	}
	return list, nil
}

// expand lists scenarios with their variants, each once.
func expand(names []string) (all []string, err error) {
	if len(names) == 0 {
		return LibraryNames(), nil
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if _, library := libraryFile(name); err == nil && info.IsDir() && !library {
			files, err := filepath.Glob(filepath.Join(name, "*.yaml"))
			if err != nil || len(files) == 0 {
				return nil, fmt.Errorf("%s: no file there ends in .yaml", name)
			}
			sort.Strings(files)
			for _, file := range files {
				all = appendWithVariants(all, file)
			}
			continue
		}
		all = appendWithVariants(all, name)
	}
	return all, nil
}

// appendWithVariants appends a scenario and its variants. A file that cannot be read is told when it is
// loaded.
func appendWithVariants(all []string, name string) []string {
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	add(name)
	if s, err := Load(name); err == nil && !strings.Contains(s.Name, "/") {
		for _, variant := range s.VariantNames() {
			add(name + strings.TrimPrefix(variant, s.Name))
		}
	}
	return all
}
