package farm

import (
	"unicode/utf8"

	"tilth/core/fault"
)

// External is where a record came from, for records kept in step with another system.
type External struct {
	ExternalID string // at most 255 characters
	Source     string // at most 255 characters
}

func (e External) check(f fault.Fields) {
	text(f, "external_id", e.ExternalID, 255)
	text(f, "source", e.Source, 255)
}

// required adds an error when a name is empty or longer than limit characters.
func required(f fault.Fields, field, value string, limit int) {
	if value == "" {
		f.Add(field, "This field may not be blank.")
	}
	text(f, field, value, limit)
}

// text adds an error when a value is longer than limit characters or not text.
func text(f fault.Fields, field, value string, limit int) {
	if !utf8.ValidString(value) {
		f.Add(field, "This is not valid UTF-8 text.")
		return
	}
	if n := utf8.RuneCountInString(value); n > limit {
		f.Addf(field, "At most %d characters; this has %d.", limit, n)
	}
	for _, r := range value {
		if r == 0 {
			f.Add(field, "The character U+0000 is not allowed.")
			return
		}
	}
}

// choice adds an error when a value is set and not one of the allowed words.
func choice(f fault.Fields, field, value string, allowed []string) {
	if value == "" {
		return
	}
	for _, a := range allowed {
		if a == value {
			return
		}
	}
	f.Addf(field, "%q is not one of %s.", value, list(allowed))
}

func list(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}
