package farm

import (
	"slices"
	"strings"

	"tilth/core/fault"
)

// choice adds an error when a value is set and not one of the allowed words.
func choice(f fault.Fields, field, value string, allowed []string) {
	if value != "" && !slices.Contains(allowed, value) {
		f.Addf(field, "%q is not one of %s.", value, strings.Join(allowed, ", "))
	}
}
