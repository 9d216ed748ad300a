package timeline

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// canvas collects SVG elements.
type canvas struct{ strings.Builder }

// element appends one line of SVG. Floats among the arguments are printed with at most
// two decimals, strings are escaped; markup arguments are kept as they are.
func (c *canvas) element(format string, args ...any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case float64:
			args[i] = number(arg)
		case string:
			args[i] = escaped(arg)
		}
	}
	fmt.Fprintf(c, format+"\n", args...)
}

// markup is SVG that must not be escaped.
type markup string

// number prints hundredths of a pixel. It rounds first, so that -0 becomes 0.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64)
}

func escaped(s string) string {
	var out strings.Builder
	// A strings.Builder does not fail.
	_ = xml.EscapeText(&out, []byte(s))
	return out.String()
}

// text sets one line. The class carries font size and colour.
func (c *canvas) text(class string, x, y float64, anchor, text string) {
	c.element(`<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, x, y, anchor, text)
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.element(`<path class="%s" d="M%s %sL%s %s"/>`, class, x1, y1, x2, y2)
}

// styleSheet keeps the elements short. Texts have a light rim, so that lines may pass
// behind them. Colours differ in lightness and patterns in direction, for grey prints.
const styleSheet = `<style>
text{font-family:sans-serif;fill:#222}
.title{font-size:16px;font-weight:bold}
.subtitle{font-size:11px;fill:#555}
.name{font-size:12px;font-weight:bold}
.kind,.note,.tick{font-size:9px;fill:#555}
.label{font-size:10px}
.sent{font-size:9px;fill:#34495e;font-style:italic}
.label,.sent,.bartext{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.bartext{font-size:10px;stroke-width:4px;stroke-opacity:.85}
.pole{stroke:#888;stroke-width:.6;fill:none}
.grid{stroke:#d9d9d9;stroke-width:.7}
.minor{stroke:#efefef;stroke-width:.6}
.axis{stroke:#444;stroke-width:1}
.life{stroke:#444;stroke-width:1.1}
.client{fill:#fff}.service{fill:#f3f6fa}.resource{fill:#f8f5ee}.other{fill:#fafafa}
.away{fill:#777;fill-opacity:.13}
.promise{stroke:#1f5f99;fill:#bcd7ef}
.belief{stroke:#1e7d3c;fill:url(#tl-belief)}
.pause{stroke:#555;fill:url(#tl-pause)}
.crash{stroke:#7a1414;fill:url(#tl-crash)}
.cut{stroke:#6b3fa0;fill:url(#tl-cut)}
.job{stroke:#8a5a00;fill:#f6dfae}
.inside{stroke:none}
.edge{fill:none;stroke-width:1.1}
.message{stroke:#34495e;fill:none}
.held{stroke:#b35900;fill:none;stroke-dasharray:7 2 1.5 2}
.lost{stroke:#a01010;fill:none;stroke-dasharray:3 2.5}
.hover{stroke:#000;stroke-opacity:0;stroke-width:7;fill:none}
.accepted{fill:#111;stroke:#fff;stroke-width:.8}
.rejected{fill:none;stroke:#c00000;stroke-width:2.2}
.read{fill:#fff;stroke:#111;stroke-width:1.4}
.left{fill:#12857a;stroke:#111;stroke-width:1}
.done{fill:#8a5a00;stroke:#222;stroke-width:.8}
.fault{fill:#e69f00;stroke:#222;stroke-width:.9}
.grant{fill:#1f5f99;stroke:#fff;stroke-width:.8}
</style>
<defs>
<pattern id="tl-belief" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="#e9f6ec"/><path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" stroke="#86c99b" stroke-width="1"/></pattern>
<pattern id="tl-pause" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#e4e4e4"/><path d="M2 0V4" stroke="#b9b9b9" stroke-width="1.1"/></pattern>
<pattern id="tl-crash" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="#e9b9b4"/><path d="M0 0L6 6M0 6L6 0" stroke="#b65" stroke-width=".9"/></pattern>
<pattern id="tl-cut" width="5" height="5" patternUnits="userSpaceOnUse"><rect width="5" height="5" fill="#f4effa"/><circle cx="2.5" cy="2.5" r="1.1" fill="#8a63b8"/></pattern>
<marker id="tl-arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .6L6 3L0 5.4Z" fill="#34495e"/></marker>
<marker id="tl-held" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .6L6 3L0 5.4Z" fill="#b35900"/></marker>
</defs>
`
