package draw

import (
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The typeface is Go (golang.org/x/image, BSD licence) in two weights: Latin, Greek and Cyrillic.
const family = "Go"

// The files of the typeface.
var (
	Regular = goregular.TTF
	Bold    = gobold.TTF
)

var faces = sync.OnceValue(func() map[bool]*sfnt.Font {
	out := map[bool]*sfnt.Font{}
	for bold, file := range map[bool][]byte{false: Regular, true: Bold} {
		face, err := opentype.Parse(file)
		if err != nil {
			panic(err) // the file is part of the program
		}
		out[bold] = face
	}
	return out
})

// missing stands for a letter that the typeface does not have.
const missing = '□'

// Printable returns a text as the typeface can set it: on one line, without control
// characters, a box in place of each letter that it does not have.
func Printable(text string) string {
	var buffer sfnt.Buffer
	face := faces()[false]
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		if glyph, err := face.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
			return missing
		}
		return r
	}, text)
}

// Measure returns the width of a text in pixels.
func Measure(text string, l Letters) float64 {
	width := 0.0
	eachGlyph(text, l, func(_ func() sfnt.Segments, advance float64) { width += advance })
	return width
}

// eachGlyph calls use for each letter with its width; segments returns its outline.
func eachGlyph(text string, l Letters, use func(segments func() sfnt.Segments, advance float64)) {
	var buffer sfnt.Buffer
	face, em := faces()[l.Bold], fixed.Int26_6(l.Size*PerPoint*64+0.5)
	for _, r := range text {
		glyph, _ := face.GlyphIndex(&buffer, r)
		advance, _ := face.GlyphAdvance(&buffer, glyph, em, font.HintingNone)
		use(func() sfnt.Segments {
			segments, _ := face.LoadGlyph(&buffer, glyph, em, nil)
			return segments
		}, float64(advance)/64)
	}
}

// outline returns a text as rings, its baseline beginning at the origin.
func outline(text string, l Letters) (rings [][]Point) {
	const bend = 4 // chords of a curve
	width := 0.0
	eachGlyph(text, l, func(segments func() sfnt.Segments, advance float64) {
		place := func(p fixed.Point26_6) Point { return Point{width + float64(p.X)/64, float64(p.Y) / 64} }
		for _, s := range segments() {
			to, last := place(s.Args[0]), len(rings)-1
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				rings = append(rings, []Point{to})
			case sfnt.SegmentOpLineTo:
				rings[last] = append(rings[last], to)
			default: // quadratic, as all curves of TrueType are
				from, by, to := rings[last][len(rings[last])-1], to, place(s.Args[1])
				for i := range bend {
					t := float64(i+1) / bend
					a, b, c := (1-t)*(1-t), 2*t*(1-t), t*t
					rings[last] = append(rings[last], Point{a*from.X + b*by.X + c*to.X, a*from.Y + b*by.Y + c*to.Y})
				}
			}
		}
		width += advance
	})
	return rings
}
