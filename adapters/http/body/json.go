// Package body reads JSON that callers send. It checks that a text is one well-formed value, checks it against a schema,
// with messages that name the member and the fix, and reads it as a record. It knows nothing of requests.
package body

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tilth/core/fault"
)

// maxDepth bounds the nesting of a body. A GeoJSON FeatureCollection of multipolygons
// needs nine levels.
const maxDepth = 64

// Check checks that a body is one JSON value and nothing else, more strictly than encoding/json.
// The decoder refuses repeated members, invalid UTF-8 and halves of surrogate pairs; this function
// refuses numbers beyond a float64, U+0000 and too many levels. It builds nothing, so that a
// hostile body costs no more memory than its own bytes and the names of the members of the objects
// that enclose the current position.
func Check(text []byte) error {
	in := jsontext.NewDecoder(bytes.NewBuffer(text))
	escapesNUL := bytes.Contains(text, []byte(`\u0000`))
	for open := true; open; open = in.StackDepth() > 0 {
		token, err := in.ReadToken()
		if err != nil {
			return syntaxError(text, err)
		}
		switch token.Kind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if in.StackDepth() > maxDepth {
				return malformedAt(text, in.InputOffset()-1, fmt.Sprintf("The JSON is nested deeper than %d levels.", maxDepth))
			}
		case jsontext.KindNumber:
			if _, err := token.Float(); err != nil {
				return fieldError(in.StackPointer(), "The number is out of range.")
			}
		case jsontext.KindString:
			if escapesNUL && strings.ContainsRune(token.String(), 0) {
				return malformedAt(text, in.InputOffset(), "A string holds the character U+0000, which cannot be stored.")
			}
		}
	}
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return malformedAt(text, in.InputOffset(), "The body continues after the end of its JSON value; send one value only.")
	}
	return nil
}

// syntaxError reports what the decoder refused: a repeated member under its path,
// anything else by line and column.
func syntaxError(text []byte, err error) error {
	var bad *jsontext.SyntacticError
	if !errors.As(err, &bad) {
		return fmt.Errorf("read a JSON text: %w", err)
	}
	before, rest := text[:bad.ByteOffset], text[bad.ByteOffset:]
	message := "The body is not valid JSON: " + bad.Err.Error() + "."
	switch r, size := utf8.DecodeRune(rest); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fieldError(bad.JSONPointer, "This member is given more than once.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = "The JSON ends too early."
	case r == utf8.RuneError && size == 1:
		message = "The body is not valid UTF-8."
	case r >= '0' && r <= '9' && bytes.HasSuffix(before, []byte("0")):
		message = "A number may not begin with a zero followed by another digit."
	case strings.Contains(message, "escape sequence") && bytes.HasPrefix(rest, []byte(`\u`)):
		message = "An escape \\u needs four hexadecimal digits, and a surrogate its other half."
	}
	return malformedAt(text, bad.ByteOffset, message)
}

// malformedAt reports what is wrong at an offset of the body, by line and column.
func malformedAt(text []byte, offset int64, message string) error {
	before := text[:offset]
	lastLine := before[bytes.LastIndexByte(before, '\n')+1:]
	return Malformed(fmt.Sprintf("%s (line %d, column %d)", message, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(lastLine)+1))
}

// Malformed returns the fault of a body that is not JSON.
func Malformed(message string) error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "malformed_body", Message: message,
		Fields: fault.Fields{fault.NonField: []string{message}},
	}
}

// fieldError reports what is wrong with a value under the path of names that leads to it.
func fieldError(at jsontext.Pointer, message string) error {
	names := slices.Collect(at.Tokens())
	if len(names) == 0 {
		return fault.Field(fault.NonField, message)
	}
	var inner any = []string{message}
	for _, name := range slices.Backward(names) {
		inner = fault.Fields{name: inner}
	}
	return inner.(fault.Fields).Err()
}

// Decoder returns a decoder of a text that Check has accepted, in which each member occurs only once.
func Decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
}
