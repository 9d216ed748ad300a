package external

import (
	"reflect"
	"strings"
	"testing"
)

// What is written is read as it was.
func TestWrite(t *testing.T) {
	h := readLines(t, `{"model": "object", "limit": 1, "permits": 2, "ttl": 3, "initial": "<a>"}
{"process": 1, "op": "put", "owner": "w", "key": "k", "value": {"a": [1]}, "expected": null, "result": "r", "token": 1, "permits": 2, "if_match": "e", "if_absent": true, "etag": "f", "outcome": "ok", "call": -7, "return": 8}
{"process": "p", "op": "get", "outcome": "info", "call": 9}
{"process": 1, "op": "get", "outcome": "fail", "call": 9, "return": 9}
`)
	var b strings.Builder
	if err := Write(&b, h); err != nil {
		t.Fatal(err)
	}
	if again := readLines(t, b.String()); !reflect.DeepEqual(again, h) {
		t.Errorf("%s is\n%+v, want\n%+v", b.String(), again, h)
	}
}
