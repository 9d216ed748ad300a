package plainjson

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestError(t *testing.T) {
	type inner struct {
		Trials int `json:"trials"`
	}
	for text, want := range map[string]string{
		`{"cells": [{"trials": "x"}]}`: "cells.trials cannot be this: string",
		`{"cells": [{"trials": 1.5}]}`: "cells.trials cannot be this: number 1.5",
		`[]`:                           "it cannot be this: array",
		`{"cells": [], "more": 1}`:     `unknown field "more"`,
		`{`:                            "unexpected EOF",
		`{"cells": []}`:                "",
	} {
		var to struct {
			Cells []inner `json:"cells"`
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := Error(d.Decode(&to))
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
