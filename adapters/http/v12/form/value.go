package form

import (
	"strings"
	"time"

	"tilth/adapters/http/member"
)

// OrNull returns a pointer to a value, and nil for the zero value of its type.
func OrNull[T comparable](value T) *T { return If(value != *new(T), value) }

// If returns a pointer to a value that holds, and nil for one that does not.
func If[T any](holds bool, value T) *T {
	if !holds {
		return nil
	}
	return &value
}

// OrZero returns what a pointer points to, and the zero value for nil.
func OrZero[T any](p *T) T { return Or(p, *new(T)) }

// Or returns what a pointer points to, and another value for nil.
func Or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// Pointed returns a pointer to the result of show for an optional value, and nil for none.
func Pointed[T, R any](p *T, show func(T) R) *R {
	if p == nil {
		return nil
	}
	return new(show(*p))
}

// Each returns the result of show for each element, and an empty list for none.
func Each[T, R any](all []T, show func(T) R) []R {
	out := make([]R, len(all))
	for i, one := range all {
		out[i] = show(one)
	}
	return out
}

// Strings returns words as text, and an empty list for none.
func Strings[T ~string](words []T) []string {
	return Each(words, func(word T) string { return string(word) })
}

// CodeList returns an enumeration for a description: `a`, `b`.
func CodeList(all []string) string { return "`" + strings.Join(all, "`, `") + "`" }

// DateOf returns an optional day for an answer.
func DateOf(t *time.Time) *member.Date { return Pointed(t, member.DateOf) }

// TimeOf returns an optional day of a request as a time.
func TimeOf(d *member.Date) *time.Time { return Pointed(d, member.Date.Time) }
