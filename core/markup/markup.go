// Package markup writes HTML and XML. A value is escaped wherever it stands, in text and between quotes, unless its type says
// that it is markup itself. Templates of the standard library are not used: they call methods by name, so that the linker
// keeps every method of the program.
package markup

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Text is markup that is written as it is. Only what the program itself wrote may become Text.
type Text string

// Escape returns a text as markup that shows it. Characters that no document may contain are shown as U+FFFD.
func Escape(text string) Text {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder takes everything
	return Text(out.String())
}

// Sprintf formats as fmt.Sprintf does. Markup, numbers and booleans are written as they are, and everything else is escaped.
func Sprintf(format string, values ...any) Text {
	shown := make([]any, len(values))
	for i, v := range values {
		shown[i] = safe(v)
	}
	return Text(fmt.Sprintf(format, shown...))
}

func safe(v any) any {
	switch v.(type) {
	case Text, bool, int, int64, float64:
		return v
	}
	return Escape(fmt.Sprint(v))
}

// Fill returns a page with its holes filled as by Sprintf: a hole is {{name}}. It panics where a page and its holes do
// not match, which is a bug in the program.
func Fill(page string, holes map[string]any) Text {
	var pairs []string
	left := strings.Count(page, "{{")
	for name, v := range holes {
		hole := "{{" + name + "}}"
		if !strings.Contains(page, hole) {
			panic("a page has no " + hole)
		}
		left -= strings.Count(page, hole)
		pairs = append(pairs, hole, fmt.Sprint(safe(v)))
	}
	if left != 0 {
		panic("a page has a hole that nothing fills")
	}
	return Text(strings.NewReplacer(pairs...).Replace(page))
}

// Join returns the markup that each makes of every value, concatenated.
func Join[T any](all []T, each func(i int, one T) Text) Text {
	var out strings.Builder
	for i, one := range all {
		out.WriteString(string(each(i, one)))
	}
	return Text(out.String())
}

// If returns the text where the condition is true, and otherwise empty text.
func If(is bool, text Text) Text {
	if is {
		return text
	}
	return ""
}
