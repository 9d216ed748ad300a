package scenarios

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

//go:embed start.yaml
var start string

// nameOfStart is what the scenario to start from is called.
const nameOfStart = "my-scenario"

// otherThanText are words that YAML takes for something else.
var otherThanText = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

// Start returns a scenario to start from, with comments. It is called as asked, if a scenario
// can be called so.
func Start(name string) string {
	if !validName.MatchString(name) {
		name = nameOfStart
	}
	if strings.ContainsAny(name[:1], "0123456789") || slices.Contains(otherThanText, name) {
		name = strconv.Quote(name)
	}
	return strings.Replace(start, "name: "+nameOfStart, "name: "+name, 1)
}
