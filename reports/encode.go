package reports

import (
	"encoding/json"
	"io"
)

// encode writes a document as one JSON object for programs and people. Of HTML it knows nothing: a
// "<" stays as it is.
func encode(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document)
}
