package timeline

import "strings"

// SVG returns what [Timeline.Write] writes, and panics where that fails.
func (t Timeline) SVG() string {
	var out strings.Builder
	if err := t.Write(&out); err != nil {
		panic(err)
	}
	return out.String()
}
