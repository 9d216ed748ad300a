package plots

import (
	"image/color"
	"math"
)

// readableOn is black or white, whichever stands out more from a ground: on every ground one of them
// has the contrast of 4.5 that small text needs (WCAG 2.2, 1.4.3).
func readableOn(ground color.NRGBA) color.NRGBA {
	black, white := color.NRGBA{A: 0xff}, color.NRGBA{0xff, 0xff, 0xff, 0xff}
	if contrast(white, ground) > contrast(black, ground) {
		return white
	}
	return black
}

// contrast is the ratio of the luminances of two opaque colours, 1 to 21, as WCAG 2.2 defines it.
func contrast(a, b color.NRGBA) float64 {
	bright, dark := max(luminance(a), luminance(b)), min(luminance(a), luminance(b))
	return (bright + 0.05) / (dark + 0.05)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 0xff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
