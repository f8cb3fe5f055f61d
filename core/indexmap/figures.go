package indexmap

import (
	"fmt"
	"math"
	"slices"
)

// Bar is a bar of a histogram: values from Low on, up to High.
type Bar struct{ Low, High, Share float64 }

// bars is how many bars a measure has.
const bars = 20

// Figures returns the figures of a layer as its values are to be read: those of Describe for an index and a measure, of directions their
// circular mean alone, and of numbers none but how many pixels have a value.
func (l *Layer) Figures() Statistics {
	s := l.Describe()
	if l.Subject.Name == "" || s.Valid == 0 {
		return s
	}
	s.Histogram = nil
	switch l.Subject.Kind {
	case Direction:
		s.Mean = s.heading()
	case Numbers:
		s.Mean = math.NaN()
	default:
		s.Bars = s.divided()
		return s
	}
	s.Std, s.Min, s.Max, s.Percentiles = math.NaN(), math.NaN(), math.NaN(), nil
	return s
}

// heading returns the circular mean of directions, in degrees; NaN where they point nowhere together.
func (s *Statistics) heading() float64 {
	east, north := 0.0, 0.0
	for i, v := range s.values {
		sin, cos := math.Sincos(v * math.Pi / 180)
		east, north = east+s.weight[i]*sin, north+s.weight[i]*cos
	}
	if math.Hypot(east, north) < 1e-6*s.valid {
		return math.NaN()
	}
	return math.Mod(math.Atan2(east, north)*180/math.Pi+360, 360)
}

// divided returns the histogram of a measure in bars of the same width; one bar where all values are the same.
func (s *Statistics) divided() []Bar {
	n := bars
	if s.Min == s.Max {
		n = 1
	}
	out, width := make([]Bar, n), (s.Max-s.Min)/float64(n)
	for k := range out {
		out[k].Low, out[k].High = s.Min+float64(k)*width, s.Min+float64(k+1)*width
	}
	out[n-1].High = s.Max
	for i, v := range s.values {
		k := 0
		if width > 0 {
			k = min(n-1, int((v-s.Min)/width))
		}
		out[k].Share += s.weight[i] / s.valid
	}
	return out
}

// maxNumbers is how many different numbers are told apart.
const maxNumbers = 256

// Numbered returns the numbers of a layer of them as classes, from the lowest: how many pixels have each.
func (l *Layer) Numbered() Classes {
	s := l.Describe()
	different := slices.Compact(slices.Sorted(slices.Values(s.values)))
	c := Classes{Asked: len(different)}
	if len(different) > maxNumbers {
		c.Notes = append(c.Notes, fmt.Sprintf("There are more than %d different numbers; the lowest are shown.", maxNumbers))
		different = different[:maxNumbers]
	}
	for _, v := range different {
		c.Each = append(c.Each, Class{Number: int(v), Low: v, High: v, Mean: v})
	}
	for i, v := range s.values {
		if k, ok := slices.BinarySearch(different, v); ok {
			c.Each[k].Pixels++
			c.Each[k].Share += s.weight[i] / s.valid
		}
	}
	return c
}
