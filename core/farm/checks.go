package farm

import (
	"tilth/core/fault"
)

// External is where a record came from, for records kept in step with another system.
type External struct {
	ExternalID string // at most 255 characters
	Source     string // at most 255 characters
}

func (e External) check(f fault.Fields) {
	f.Text("external_id", e.ExternalID, 255)
	f.Text("source", e.Source, 255)
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
