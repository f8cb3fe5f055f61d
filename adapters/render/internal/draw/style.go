package draw

import "image/color"

// Color is a colour with its opacity; the zero Color paints nothing.
type Color = color.NRGBA

// Hex returns the opaque colour of a number such as 0x3d6b35.
func Hex(rgb uint32) Color {
	return Color{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xff}
}

// The colours of charts, maps and documents.
var (
	Ink   = Hex(0x2c2a26) // text and marks
	Soft  = Hex(0x6d675c) // text and marks of less weight
	Rule  = Hex(0xd6cfc0) // lines of tables and grids
	Tint  = Hex(0xf0f4e8) // areas behind text
	Land  = Hex(0xfbfaf6) // a map where nothing is
	Leaf  = Hex(0x3d6b35) // headings and results
	Spray = Hex(0x9cbf7f) // bars and curves
	Mist  = Hex(0xdbe7cc) // bands of uncertainty
	Way   = Hex(0xc2410c) // the way of a crew
	White = Hex(0xffffff)
	// Veil lies behind a label, which is then legible on any colour.
	Veil = Color{R: 0xff, G: 0xff, B: 0xff, A: 205}
)

// Letters is how a text is set. Sizes are points, in pictures and in documents.
type Letters struct {
	Size  float64
	Bold  bool
	Color Color
}

// The letters of charts, maps and documents.
var (
	Title   = Letters{18, true, Ink}
	Heading = Letters{12, true, Leaf}
	Text    = Letters{9.5, false, Ink}
	Strong  = Letters{9.5, true, Ink}
	Muted   = Letters{9.5, false, Soft}
	Small   = Letters{7.5, false, Ink}
	Note    = Letters{7.5, false, Soft}
)

// PerPoint and PerMM are the pixels of a point and of a millimetre.
const (
	PerPoint = 96.0 / 72
	PerMM    = 96 / 25.4
)

// Gap is the space between blocks, in pixels.
const Gap = 15.0
