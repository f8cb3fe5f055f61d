// Package numbers finds the numbers of a snapshot that cannot be amounts: negative or infinite ones, and shares above
// 100 per cent.
package numbers

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// checked is a number, or something that holds numbers, within a struct of an input.
type checked struct {
	index        int
	name         string
	lower, upper float64
	below        []checked // of a struct, or of the items of a list
}

// judgedThere is the member that the steady-state method of soil carbon checks by itself, under the names of the form.
const judgedThere = "carbon"

// signed are the numbers of an input that may be negative.
var signed = map[string]bool{"temperature_c": true}

// shareTolerance is how far a share may exceed 100 per cent: sums of rounded shares do.
const shareTolerance = 0.01

// Numbers are the checked numbers of a type. They are worked out once, because every calculation checks its snapshot.
type Numbers []checked

// Of returns the numbers of a struct, under the names of its JSON form.
func Of(t reflect.Type) Numbers { return numbersOf(t) }

// Wrong returns the numbers of a value that cannot be amounts, each under its name; nil where there are none.
func (n Numbers) Wrong(of reflect.Value) fault.Fields { return wrongNumbers(n, of) }

func numbersOf(t reflect.Type) []checked {
	var out []checked
	for i := range t.NumField() {
		of := t.Field(i).Type
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		c := checked{index: i, name: name, upper: math.MaxFloat64}
		if name == judgedThere {
			continue
		}
		if of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		switch {
		case of.Kind() == reflect.Struct:
			c.below = numbersOf(of)
		case of.Kind() != reflect.Float64:
			continue
		case signed[name]:
			c.lower = -math.MaxFloat64
		case strings.HasSuffix(name, "_pct"):
			c.upper = 100 + shareTolerance
		}
		out = append(out, c)
	}
	return out
}

func wrongNumbers(numbers []checked, of reflect.Value) fault.Fields {
	var out fault.Fields
	note := func(c *checked, wrong fault.Fields, message string) {
		if out == nil {
			out = fault.Fields{}
		}
		if out.Nest(c.name, wrong); message != "" {
			out.Add(c.name, message)
		}
	}
	for i := range numbers {
		c, v := &numbers[i], of.Field(numbers[i].index)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Struct:
			if wrong := wrongNumbers(c.below, v); wrong != nil {
				note(c, wrong, "")
			}
		case reflect.Slice:
			for item := range v.Len() {
				if wrong := wrongNumbers(c.below, v.Index(item)); wrong != nil {
					items, _ := out[c.name].(fault.Fields)
					if items == nil {
						items = fault.Fields{}
					}
					items[strconv.Itoa(item)] = wrong
					note(c, items, "")
				}
			}
		default:
			if n := v.Float(); !(n >= c.lower && n <= c.upper) {
				note(c, nil, c.says())
			}
		}
	}
	return out
}

func (c *checked) says() string {
	switch {
	case c.lower < 0:
		return "It must be a finite number."
	case c.upper < math.MaxFloat64:
		return "It must be a share from 0 to 100 %."
	}
	return "It must be a finite number of at least 0."
}
