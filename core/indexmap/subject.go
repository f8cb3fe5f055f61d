package indexmap

import (
	"math"
	"strings"
	"time"
)

// Kind is how the values of a layer are to be read.
type Kind string

// The kinds.
const (
	Measure   Kind = "measure"   // a quantity
	Direction Kind = "direction" // degrees clockwise from north: 360 is 0
	Numbers   Kind = "numbers"   // whole numbers that name zones or classes, and have no mean
)

// Subject states what the values of a layer without an index and a date are.
type Subject struct {
	Name  string `json:"name"`  // in addresses and files: slope, clay_0_30, zones
	Title string `json:"title"` // for people
	Unit  string `json:"unit"`  // empty where there is none
	Kind  Kind   `json:"kind"`
	// Low and High are the values at the ends of its colours.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Name returns the name of what the layer's values are: the code of its index, or the name of its subject.
func (l *Layer) Name() string {
	if l.Subject.Name != "" {
		return l.Subject.Name
	}
	return string(l.Index)
}

// Title returns, for people, what the layer shows: "NDVI on 2025-05-12", or the title of its subject with the unit.
func (l *Layer) Title() string {
	if l.Subject.Name == "" {
		return string(l.Index) + " on " + l.Day.Format(time.DateOnly)
	}
	if l.Subject.Unit == "" {
		return l.Subject.Title
	}
	return l.Subject.Title + ", " + l.Subject.Unit
}

// lowEnd and highEnd are the quantiles between which the colours of a measure span: values beyond have those of the ends.
const (
	lowEnd  = 0.02
	highEnd = 0.98
)

// Spanning returns the subject of a layer with the ends of its colours where the values of the field lie: from the 2nd
// to the 98th percentile. Directions span the full circle, and numbers all of theirs.
func (s Subject) Spanning(l *Layer) Subject {
	figures := l.Describe()
	switch {
	case s.Kind == Direction:
		s.Low, s.High = 0, 360
		return s
	case figures.Valid == 0:
		s.Low, s.High = 0, 1
		return s
	case s.Kind == Numbers:
		s.Low, s.High = figures.Min, figures.Max
	default:
		s.Low, s.High = figures.spread.Quantile(lowEnd), figures.spread.Quantile(highEnd)
	}
	if width := max(1e-6, 1e-6*math.Abs(s.Low)); s.High-s.Low < width { // a single value, which gets the middle colour
		s.Low, s.High = s.Low-width, s.High+width
	}
	return s
}

// subjects holds the ramps of the subjects with a known meaning; others have that of chlorophyll.
var subjects = map[string]*ramp{
	"zones": &canopy, "mean": &canopy, "peak": &canopy, "stability": &burn,
	"elevation": &ground, "slope": &burn, "twi": &moisture,
}

// ground is the ramp of heights: from light green through ochre to dark brown.
var ground = ramp{"ground", lch(0.95, 0.06, 130), lch(0.75, 0.14, 70), lch(0.28, 0.07, 40)}

// StyleOfSubject returns the style of a subject.
func StyleOfSubject(s Subject) Style {
	out := Style{Family: leaf.name, Low: s.Low, High: s.High, Colors: *colors[&leaf]}
	name, _, _ := strings.Cut(s.Name, "_2") // peak_2025 is a peak
	if r, ok := subjects[name]; ok {
		out.Family, out.Colors = r.name, *colors[r]
	}
	if s.Kind == Direction {
		out.Family, out.Colors = "compass", compass
	}
	return out
}

// Style returns the style of the layer.
func (l *Layer) Style() Style {
	if l.Subject.Name != "" {
		return StyleOfSubject(l.Subject)
	}
	return StyleOf(l.Index)
}

// compass are the colours of directions, which end as they begin: the south is light and the north dark, the east blue
// and the west orange, so that they can be told apart with every kind of colour vision.
var compass = func() (out [Shades]Color) {
	const dark, light, chroma = 0.35, 0.92, 0.12
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / (Shades - 1))
		c := lab{L: (light+dark)/2 - (light-dark)/2*cos}
		side := lch(0, chroma*math.Abs(sin), 250) // the east
		if sin < 0 {
			side = lch(0, chroma*math.Abs(sin), 60)
		}
		c.a, c.b = side.a, side.b
		out[i] = c.shown()
	}
	return out
}()
