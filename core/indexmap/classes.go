package indexmap

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tilth/core/fault"
)

// Method is how the values of a layer are divided into classes.
type Method string

// The methods.
const (
	Quantile      Method = "quantile"       // equally many pixels in each
	EqualInterval Method = "equal_interval" // equally wide
)

// Methods lists the methods.
var Methods = []Method{Quantile, EqualInterval}

// The bounds of the number of classes, and the number where none is chosen.
const (
	MinClasses     = 2
	MaxClasses     = 9
	DefaultClasses = 5
)

// Class is a range of values. A value belongs to the last class whose Low it reaches; High is where the next begins, or the
// highest value of the layer.
type Class struct {
	Number    int // from 1, the lowest
	Low, High float64
	Pixels    int
	Share     float64 // of the field's pixels with a value, 0…1
	Mean      float64 // of its pixels; NaN where it has none
}

// Classes are the classes of one layer.
type Classes struct {
	Method Method
	Asked  int // how many classes were asked for
	Each   []Class
	// Notes say, for people, what differs from what was asked for: fewer classes, or empty ones.
	Notes []string
}

// CheckClasses refuses an unknown method, or a number of classes out of bounds. Fault: Invalid, of the fields "method" and "classes".
func CheckClasses(method Method, n int) error {
	fields := fault.Fields{}
	fields.AddIf(!slices.Contains(Methods, method), "method", "%.30q is not a method; choose quantile or equal_interval.", method)
	fields.AddIf(n < MinClasses || n > MaxClasses, "classes", "A layer can be divided into %d to %d classes.", MinClasses, MaxClasses)
	return fields.Err()
}

// Classify divides the values of the field's pixels into classes. Where values are tied so that a class would be empty, the
// quantiles yield fewer classes; equal intervals may hold no pixel. A field of one value is one class, and one without any value
// has none; the notes say so.
//
// Faults: those of CheckClasses.
func (l *Layer) Classify(method Method, n int) (Classes, error) {
	if err := CheckClasses(method, n); err != nil {
		return Classes{}, err
	}
	c, s := Classes{Method: method, Asked: n}, l.Describe()
	if s.Valid == 0 {
		c.Notes = append(c.Notes, "No pixel of the field has a value on this date.")
		return c, nil
	}
	lows := []float64{s.Min}
	for k := 1; k < n; k++ {
		low := s.Min + (s.Max-s.Min)*float64(k)/float64(n)
		if method == Quantile {
			low = s.spread.Quantile(float64(k) / float64(n))
		}
		if low > lows[len(lows)-1] {
			lows = append(lows, low)
		}
	}
	for k, low := range lows {
		high := s.Max
		if k+1 < len(lows) {
			high = lows[k+1]
		}
		c.Each = append(c.Each, Class{Number: k + 1, Low: low, High: high})
	}
	c.count(s)
	c.note(s)
	return c, nil
}

// count sets the pixels, the share and the mean of each class.
func (c *Classes) count(s Statistics) {
	sums, weights := make([]float64, len(c.Each)), make([]float64, len(c.Each))
	for i, v := range s.values {
		k := c.Of(v) - 1
		c.Each[k].Pixels++
		sums[k] += s.weight[i] * v
		weights[k] += s.weight[i]
	}
	for k := range c.Each {
		c.Each[k].Share, c.Each[k].Mean = weights[k]/s.valid, math.NaN()
		if weights[k] > 0 {
			c.Each[k].Mean = sums[k] / weights[k]
		}
	}
}

func (c *Classes) note(s Statistics) {
	switch {
	case s.Min == s.Max:
		c.Notes = append(c.Notes, fmt.Sprintf("All pixels of the field have the value %.4g: they are one class.", s.Min))
	case len(c.Each) < c.Asked:
		c.Notes = append(c.Notes, fmt.Sprintf("Many pixels have the same value, so that there are %d classes instead of %d.", len(c.Each), c.Asked))
	}
	var empty []string
	for _, class := range c.Each {
		if class.Pixels == 0 {
			empty = append(empty, fmt.Sprint(class.Number))
		}
	}
	switch len(empty) {
	case 0:
	case 1:
		c.Notes = append(c.Notes, fmt.Sprintf("No pixel lies in class %s.", empty[0]))
	default:
		c.Notes = append(c.Notes, fmt.Sprintf("No pixel lies in the classes %s.", strings.Join(empty, ", ")))
	}
}

// Of returns the number of the class of a value of the layer; 0 for NaN.
func (c *Classes) Of(v float64) int {
	n := 0
	for n < len(c.Each) && (v >= c.Each[n].Low || n == 0 && !math.IsNaN(v)) {
		n++
	}
	return n
}
