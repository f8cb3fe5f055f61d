package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"tilth/app"
	"tilth/ports"
)

// record is a JSON object, whose members are printed in their order.
type record []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members.
func (r record) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	before := "{"
	for _, m := range r {
		out.WriteString(before + strconv.Quote(m.name) + ":")
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
		before = ","
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// each returns what show makes of each element, and an empty list for none.
func each[T, R any](all []T, show func(T) R) []R {
	out := make([]R, len(all))
	for i, one := range all {
		out[i] = show(one)
	}
	return out
}

// answer prints what a use case returned, unless it failed.
func (s *shell) answer(err error, record any, format string, args ...any) error {
	if err != nil {
		return err
	}
	return s.print(record, format, args...)
}

// print prints a record: with --json as JSON, else as the line given.
func (s *shell) print(record any, format string, args ...any) error {
	if s.asJSON {
		return s.printJSON(record)
	}
	_, err := fmt.Fprintf(s.Out, format+"\n", args...)
	return err
}

func (s *shell) printJSON(record any) error {
	enc := json.NewEncoder(s.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(record)
}

func printed[T any](all iter.Seq2[T, error], print func(T) error) error {
	for one, err := range all {
		if err != nil {
			return err
		}
		if err := print(one); err != nil {
			return err
		}
	}
	return nil
}

// listed returns a function that prints the records of a list, unless the list could not be read.
func listed[T any](list app.List[T], err error) func(print func(T) error) error {
	return func(print func(T) error) error {
		if err != nil {
			return err
		}
		return printed(list.Each, print)
	}
}

// filter narrows a list to a value; the zero value does not.
func filter[T comparable](name string, value T) []ports.Filter {
	if value == *new(T) {
		return nil
	}
	return []ports.Filter{{Name: name, Value: value}}
}

// optional returns a pointer to a value; nil for the zero value.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
