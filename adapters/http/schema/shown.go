package schema

import (
	"iter"
	"slices"
	"strings"
)

// Shown returns the content type in which the document shows an answer: JSON before other types that are text; empty where
// there is none.
func Shown(kinds iter.Seq[string]) string {
	all := slices.Sorted(kinds)
	for _, fits := range []func(string) bool{
		func(kind string) bool { return kind == "application/json" },
		func(kind string) bool { return strings.HasSuffix(kind, "json") && kind != "application/x-ndjson" },
		func(kind string) bool {
			return kind == "application/x-ndjson" || strings.HasPrefix(kind, "text/") && kind != "text/event-stream"
		},
	} {
		if at := slices.IndexFunc(all, fits); at >= 0 {
			return all[at]
		}
	}
	return ""
}
