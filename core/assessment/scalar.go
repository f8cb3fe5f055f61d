package assessment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// scalar returns a value that is neither amount nor list as it is stored, or what is wrong with it. It does not
// allocate for a valid value.
func (f *Field) scalar(raw any) (clean any, message string) {
	switch f.Kind {
	case Choice:
		return raw, oneOf(raw, f.Enum)
	case Flag:
		if _, ok := raw.(bool); !ok {
			return nil, "true or false is expected."
		}
		return raw, ""
	case Text:
		return raw, plainText(raw, f.MaxLen)
	case Date:
		return raw, civilDate(raw)
	}
	n, message := f.number(raw)
	if _, ok := raw.(float64); ok { // already as it is stored
		return raw, message
	}
	return n, message
}

// number reads a number within the field's bounds. Text and booleans are not numbers.
func (f *Field) number(raw any) (float64, string) {
	n, ok := numeric(raw)
	switch {
	case !ok:
		return 0, "A number is expected."
	case f.Kind == Integer && n != math.Trunc(n):
		return 0, "A whole number is expected."
	case n < *f.Min || n > *f.Max || f.AboveZero && n <= 0:
		return 0, f.bounds()
	}
	return n, ""
}

func (f *Field) bounds() string {
	if f.AboveZero {
		return "A number above 0 and at most " + decimal(*f.Max) + "."
	}
	return "A number from " + decimal(*f.Min) + " to " + decimal(*f.Max) + "."
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// numeric returns a finite number, however the reader of the body represents numbers.
func numeric(raw any) (float64, bool) {
	var n float64
	switch v := raw.(type) {
	case float64:
		n = v
	case int:
		n = float64(v)
	case int64:
		n = float64(v)
	case interface{ Float64() (float64, error) }: // a number kept as its digits
		parsed, err := v.Float64()
		if err != nil {
			return 0, false
		}
		n = parsed
	default:
		return 0, false
	}
	return n, !math.IsNaN(n) && !math.IsInf(n, 0)
}

func oneOf(raw any, allowed []string) string {
	word, ok := raw.(string)
	switch {
	case !ok:
		return "Text is expected, one of " + strings.Join(allowed, ", ") + "."
	case !slices.Contains(allowed, word):
		return fmt.Sprintf("%q is not one of %s.", word, strings.Join(allowed, ", "))
	}
	return ""
}

func plainText(raw any, upper int) string {
	s, ok := raw.(string)
	switch {
	case !ok:
		return "Text is expected."
	case !utf8.ValidString(s):
		return "This is not valid UTF-8 text."
	case strings.ContainsRune(s, 0):
		return "The character U+0000 is not allowed."
	case len(s) > upper && utf8.RuneCountInString(s) > upper:
		return fmt.Sprintf("At most %d characters; this has %d.", upper, utf8.RuneCountInString(s))
	}
	return ""
}

func civilDate(raw any) string {
	s, _ := raw.(string)
	d, err := time.Parse(time.DateOnly, s)
	if err != nil || d.Year() < 1900 || d.Year() > maxYear {
		return "A date as YYYY-MM-DD is expected, from 1900-01-01 to 2200-12-31."
	}
	return ""
}
