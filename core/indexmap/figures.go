package indexmap

import (
	"fmt"
	"math"
	"slices"
)

// Bar is a bar of a histogram: values from Low on, up to High.
type Bar struct{ Low, High, Share float64 }

// bars is the number of bars of a measure.
const bars = 20

// Figures returns the figures of a layer that suit the kind of its values: those of Describe for an index and a
// measure, only the circular mean for directions, and only how many pixels have a value for numbers.
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

// heading returns the circular mean of directions, in degrees; NaN where they cancel one another out.
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

// maxNumbers is the maximum number of different numbers that are counted.
const maxNumbers = 256

// Numbered returns the numbers of a layer of numbers as classes, from the lowest, with how many pixels have each.
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
