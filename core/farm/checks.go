package farm

import (
	"slices"
	"strings"

	"tilth/core/fault"
)

// External is the origin of a record that is kept in step with another system.
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
	if value != "" && !slices.Contains(allowed, value) {
		f.Addf(field, "%q is not one of %s.", value, strings.Join(allowed, ", "))
	}
}
