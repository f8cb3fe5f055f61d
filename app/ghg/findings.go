package ghg

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tilth/core/assessment"
	"tilth/core/fault"
)

// refused is the fault of an assessment that the rules or the engine refuse.
func refused(code, message string, violations, warnings []assessment.Finding) error {
	n := len(violations)
	things := "things are"
	if n == 1 {
		things = "thing is"
	}
	return fault.Newf(fault.Invalid, code, "%s: %d %s missing or wrong.", message, n, things).
		With("violations", plain(violations)).With("warnings", plain(warnings))
}

func plain(findings []assessment.Finding) []map[string]string {
	out := make([]map[string]string, len(findings))
	for i, f := range findings {
		out[i] = map[string]string{"code": f.Code, "path": f.Path, "message": f.Message}
	}
	return out
}

// findingsOf returns what an engine refused, with the path of each.
func findingsOf(err error) []assessment.Finding {
	const code = "not_computable"
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 {
		message := err.Error()
		if ok {
			message = f.Message
		}
		return []assessment.Finding{{Code: code, Message: message}}
	}
	var out []assessment.Finding
	var walk func(path string, fields fault.Fields)
	walk = func(path string, fields fault.Fields) {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			at := below(path, key)
			switch value := fields[key].(type) {
			case fault.Fields:
				walk(at, value)
			case []string:
				for _, message := range value {
					out = append(out, assessment.Finding{Code: code, Path: at, Message: message})
				}
			}
		}
	}
	walk("", f.Fields)
	return out
}

// below writes the path of a member: an index in brackets, another behind a dot. The
// general part has no name of its own.
func below(path, key string) string {
	if i, err := strconv.Atoi(key); err == nil {
		return fmt.Sprintf("%s[%d]", path, i)
	}
	if path == "" || path == "general" {
		return key
	}
	return path + "." + key
}
