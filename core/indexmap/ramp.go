package indexmap

import (
	"fmt"
	"math"
)

// Color is a colour of sRGB.
type Color struct{ R, G, B uint8 }

// Hex returns the colour as CSS writes it: #rrggbb.
func (c Color) Hex() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// lab is a colour of OKLab: Ottosson, "A perceptual color space for image processing", 2020
// (bottosson.github.io/posts/oklab). L is its lightness, from 0 to 1.
type lab struct{ L, a, b float64 }

// lch returns a colour of OKLab by lightness, chroma and hue in degrees.
func lch(lightness, chroma, hue float64) lab {
	sin, cos := math.Sincos(hue * math.Pi / 180)
	return lab{lightness, chroma * cos, chroma * sin}
}

// linear returns the colour in linear sRGB, as Ottosson defines it: outside 0…1 where no screen shows it.
func (c lab) linear() [3]float64 {
	cube := func(v float64) float64 { return v * v * v }
	l := cube(c.L + 0.3963377774*c.a + 0.2158037573*c.b)
	m := cube(c.L - 0.1055613458*c.a - 0.0638541728*c.b)
	s := cube(c.L - 0.0894841775*c.a - 1.2914855480*c.b)
	return [3]float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	}
}

// shown returns the colour of sRGB (IEC 61966-2-1).
func (c lab) shown() Color {
	var out [3]uint8
	for i, v := range c.linear() {
		if v = min(1, max(0, v)); v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(255 * v))
	}
	return Color{out[0], out[1], out[2]}
}

func (c lab) to(o lab, t float64) lab {
	return lab{c.L + t*(o.L-c.L), c.a + t*(o.a-c.a), c.b + t*(o.b-c.b)}
}

func (c lab) distance(o lab) float64 { return math.Hypot(c.L-o.L, math.Hypot(c.a-o.a, c.b-o.b)) }

// ramp is a sequence of colours from light to dark along a curve: a Bézier curve of three points through a perceptual space,
// as Wijffelaars, Vliegen, van Wijk and van der Linden, "Generating color palettes using intuitive parameters", Computer
// Graphics Forum 27 (2008), make theirs through CIELUV. The colours lie along it at equal distances, so that equal steps of
// a value are equal steps of colour. Lightness falls all the way, so that people who see no hue read the same map.
type ramp struct {
	name             string
	light, mid, dark lab
}

func (r ramp) at(t float64) lab { return r.light.to(r.mid, t).to(r.mid.to(r.dark, t), t) }

// curveSteps is the number of pieces in which a curve is measured.
const curveSteps = 4096

// even returns n colours at equal distances along the curve, including its ends.
func (r ramp) even(n int) []lab {
	var along [curveSteps + 1]float64
	for i := 1; i <= curveSteps; i++ {
		along[i] = along[i-1] + r.at(float64(i-1)/curveSteps).distance(r.at(float64(i)/curveSteps))
	}
	out := make([]lab, n)
	i := 0
	for k := range out {
		target := along[curveSteps] * float64(k) / float64(n-1)
		for i < curveSteps-1 && along[i+1] < target {
			i++
		}
		t := float64(i) + (target-along[i])/(along[i+1]-along[i])
		out[k] = r.at(min(1, t/curveSteps))
	}
	return out
}
