package draw

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"strconv"
)

// vectors is a picture as SVG 1.1.
type vectors struct{ bytes.Buffer }

// newVectors begins a picture. A viewer that lacks the typeface uses another sans serif.
func newVectors(width, height int) *vectors {
	v := &vectors{}
	fmt.Fprintf(v, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\" "+
		"font-family=\"%s, Verdana, 'DejaVu Sans', sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", width, height, family)
	return v
}

func (v *vectors) save(w io.Writer) error {
	v.WriteString("</svg>\n")
	if _, err := v.WriteTo(w); err != nil {
		return fmt.Errorf("write the SVG: %w", err)
	}
	return nil
}

// number writes a length with at most two decimals.
func number(n float64) string {
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}

// paint writes a colour as the attributes of a fill or a stroke.
func paint(what string, c Color) string {
	switch c.A {
	case 0:
		return fmt.Sprintf(` %s="none"`, what)
	case 0xff:
		return fmt.Sprintf(` %s="#%02x%02x%02x"`, what, c.R, c.G, c.B)
	}
	return fmt.Sprintf(` %s="#%02x%02x%02x" %[1]s-opacity="%[5]s"`, what, c.R, c.G, c.B, number(float64(c.A)/0xff))
}

func (s Style) attributes() string {
	if s.Edge.A == 0 {
		return paint("fill", s.Fill)
	}
	return paint("fill", s.Fill) + paint("stroke", s.Edge) + fmt.Sprintf(` stroke-width="%s"`, number(s.Width))
}

func (v *vectors) Path(lines [][]Point, closed bool, s Style) {
	v.WriteString(`<path d="`)
	for _, line := range lines {
		for i, p := range line {
			v.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
			v.WriteString(number(p.X) + " " + number(p.Y))
		}
		if closed {
			v.WriteString("Z")
		}
	}
	v.WriteString(`"` + s.attributes() + "/>\n")
}

// Image implements Format. The pixels stay squares.
func (v *vectors) Image(pixels *image.NRGBA, b Box) {
	fmt.Fprintf(v, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,`,
		number(b.Left), number(b.Top), number(b.Width()), number(b.Height()))
	into := base64.NewEncoder(base64.StdEncoding, v)
	_ = png.Encode(into, pixels) // writing to a buffer never fails
	_ = into.Close()
	v.WriteString("\"/>\n")
}

func (v *vectors) Circle(centre Point, radius float64, s Style) {
	fmt.Fprintf(v, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\"%s/>\n", number(centre.X), number(centre.Y), number(radius), s.attributes())
}

// Text implements Format. The width is that of the typeface, even where a viewer uses another.
func (v *vectors) Text(text string, at Point, l Letters, turned bool) {
	if text == "" {
		return
	}
	fmt.Fprintf(v, `<text x="%s" y="%s" font-size="%s" textLength="%s"%s`,
		number(at.X), number(at.Y), number(l.Size*PerPoint), number(Measure(text, l)), paint("fill", l.Color))
	if l.Bold {
		v.WriteString(` font-weight="bold"`)
	}
	if turned {
		fmt.Fprintf(v, ` transform="rotate(-90 %s %s)"`, number(at.X), number(at.Y))
	}
	v.WriteString(">")
	_ = xml.EscapeText(v, []byte(text)) // a name comes from people, and must not become markup; writing to a buffer never fails
	v.WriteString("</text>\n")
}
