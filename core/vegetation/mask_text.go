package vegetation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// The limits of the parts of a mask.
const (
	MaxDilation = 20  // pixels
	MaxBuffer   = 500 // metres
	maxMaskText = 400 // characters
)

// The names of whole masks, and of the parts of a mask's text.
const (
	standardName = "standard"
	strictName   = "strict"
	outPart      = "out"
	dilatePart   = "dilate"
	bufferPart   = "buffer"
	coveragePart = "coverage"
	cloudPart    = "cloud"
	nothing      = "none"
)

// maskHelp explains how masks are written.
const maskHelp = "Write standard, strict or out:3,8,9 (the classes that are left out), followed by any of " +
	"fmask:6,7 and qa_pixel:9 (bits that are left out too), dilate:2 (pixels), buffer:10 (metres), coverage:0.8 and cloud:40 (percent), separated by commas."

// String returns the mask's text, which is unique to the mask: standard, strict or out with the classes that are left
// out, then the parts that differ from the usual, in a fixed order.
func (m Mask) String() string {
	var parts []string
	switch m.keeps() {
	case standardKeeps:
		parts = append(parts, standardName)
	case strictKeeps:
		parts = append(parts, strictName)
	default:
		parts = append(parts, outPart+":"+cmp.Or(numbers(everyClass&^m.keeps()&^1), nothing))
	}
	add := func(name, value, usual string) {
		if value != usual {
			parts = append(parts, name+":"+value)
		}
	}
	add(string(BitsFmask), numbers(m.fmask), "")
	add(string(BitsQAPixel), numbers(m.qaPixel), "")
	add(dilatePart, strconv.Itoa(m.dilation), "0")
	add(bufferPart, decimal(m.buffer), "0")
	add(coveragePart, decimal(m.coverage), "0")
	add(cloudPart, strconv.Itoa(m.fromProbability), "0")
	return strings.Join(parts, ",")
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func numbers(s bitSet) string {
	var out []string
	for n := range 16 {
		if s.has(n) {
			out = append(out, strconv.Itoa(n))
		}
	}
	return strings.Join(out, ",")
}

// part is a part of a mask's text: a name with its values, or the name of a whole mask without any.
type part struct {
	name   string
	values []string
}

// ParseMask returns the mask that a text describes; an empty text is the standard mask. A number without a name
// continues the list before it. Fault: Invalid, of the field "mask", naming the part and the fix.
func ParseMask(text string) (Mask, error) {
	var m Mask
	if text == "" {
		return m, nil
	}
	if len(text) > maxMaskText {
		return m, wrongMask("it is longer than " + strconv.Itoa(maxMaskText) + " characters")
	}
	seen := map[string]bool{}
	for i, p := range partsOf(text) {
		if seen[p.name] {
			return Mask{}, wrongMask(fmt.Sprintf("%.20q occurs twice", p.name))
		}
		seen[p.name] = true
		if kind := p.name; i > 0 && (kind == standardName || kind == strictName || kind == outPart) {
			return Mask{}, wrongMask(fmt.Sprintf("%q may only come first", kind))
		}
		if err := m.take(p); err != nil {
			return Mask{}, err
		}
	}
	return m, nil
}

func partsOf(text string) []part {
	var out []part
	for word := range strings.SplitSeq(text, ",") {
		name, value, named := strings.Cut(word, ":")
		_, err := strconv.ParseUint(word, 10, 64)
		switch last := len(out) - 1; {
		case named:
			out = append(out, part{name, []string{value}})
		case err == nil && last >= 0 && len(out[last].values) > 0:
			out[last].values = append(out[last].values, word)
		default:
			out = append(out, part{name: word})
		}
	}
	return out
}

// take applies a part to the mask.
func (m *Mask) take(p part) (err error) {
	switch {
	case p.name == standardName && p.values == nil:
		return nil
	case p.name == strictName && p.values == nil:
		*m = MaskStrict
		return nil
	}
	switch p.name {
	case outPart:
		var out bitSet
		if !slices.Equal(p.values, []string{nothing}) {
			if out, err = p.set(1, int(lastClass), "a class"); err != nil {
				return err
			}
		}
		m.differs = standardKeeps ^ (everyClass &^ out &^ 1)
	case string(BitsFmask):
		m.fmask, err = p.set(0, 7, "a bit of Fmask")
	case string(BitsQAPixel):
		m.qaPixel, err = p.set(0, 15, "a bit of QA_PIXEL")
	case dilatePart:
		m.dilation, err = p.whole(0, MaxDilation, "pixels")
	case cloudPart:
		m.fromProbability, err = p.whole(1, 100, "percent")
	case bufferPart:
		m.buffer, err = p.number(0, MaxBuffer, "metres")
	case coveragePart:
		if m.coverage, err = p.number(0.01, 1, "as a share of the field's pixels"); m.coverage == MinCoverage {
			m.coverage = 0
		}
	default:
		err = wrongMask(fmt.Sprintf("%.20q is not part of a mask", p.name))
	}
	return err
}

// set returns the values as a set of numbers between low and high.
func (p part) set(low, high int, what string) (s bitSet, err error) {
	for _, v := range p.values {
		n, err := strconv.Atoi(v)
		if err != nil || n < low || n > high {
			return 0, wrongMask(fmt.Sprintf("%s: %.20q is not %s, %d to %d", p.name, v, what, low, high))
		}
		s |= 1 << n
	}
	if len(p.values) == 0 {
		return 0, wrongMask(p.name + " has no numbers")
	}
	return s, nil
}

func (p part) number(low, high float64, unit string) (float64, error) {
	if len(p.values) == 1 {
		v, err := strconv.ParseFloat(p.values[0], 64)
		if err == nil && v >= low && v <= high {
			return math.Abs(v), nil // without the sign of −0
		}
	}
	return 0, wrongMask(fmt.Sprintf("%s: %.20q is not a number from %s to %s, %s", p.name, strings.Join(p.values, ","), decimal(low), decimal(high), unit))
}

func (p part) whole(low, high int, unit string) (int, error) {
	v, err := p.number(float64(low), float64(high), unit)
	if err == nil && v != math.Trunc(v) {
		err = wrongMask(fmt.Sprintf("%s: %s is not a whole number of %s", p.name, decimal(v), unit))
	}
	return int(v), err
}

func wrongMask(why string) error {
	return fault.Field("mask", "The mask cannot be used: "+why+". "+maskHelp)
}
