package form

import (
	"strings"
	"time"

	"tilth/adapters/http/rest"
)

// OrNull returns a pointer to a value, and nil for the zero value of its type.
func OrNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// OrZero returns what a pointer points to, and the zero value for nil.
func OrZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// Strings returns words as text, and an empty list for none.
func Strings[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = string(word)
	}
	return out
}

// CodeList returns an enumeration for a description: `a`, `b`.
func CodeList(all []string) string { return "`" + strings.Join(all, "`, `") + "`" }

// DateOf returns an optional day as it is answered.
func DateOf(t *time.Time) *rest.Date {
	if t == nil {
		return nil
	}
	d := rest.DateOf(*t)
	return &d
}

// TimeOf returns an optional day of a request as a time.
func TimeOf(d *rest.Date) *time.Time {
	if d == nil {
		return nil
	}
	t := d.Time()
	return &t
}
