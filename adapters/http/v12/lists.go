package v12

import (
	"fmt"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/ports"
)

// listExtras are the parameters that every list takes; search says what is searched, and
// order what the list may be ordered by beside the usual.
func listExtras(search string, order ...string) []rest.Param {
	return []rest.Param{
		{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."},
		{Name: "search", Type: rest.String, Description: search},
		rest.OrderingParam(append([]string{"id", "created_at", "updated_at"}, order...)...),
	}
}

// externals adds the key of the record in another system, and further parameters.
func externals(params []rest.Param, more ...rest.Param) []rest.Param {
	return append(append(params, rest.Param{
		Name: "external_id", Type: rest.String, Description: "The record's key in the system it came from, exactly.",
	}), more...)
}

// queryOf makes the store's query of the parameters that a caller set, among those
// declared; partial names those that match a part of the text.
func queryOf(page rest.PageSpec, declared []rest.Param, given rest.Values, partial ...string) ports.Query {
	q := pageOf(page, filtersOf(declared, given, partial...))
	for _, p := range declared {
		terms, _ := given.All()[p.Name].([]rest.OrderTerm)
		for _, term := range terms {
			q.Order = append(q.Order, ports.Order{Field: term.Field, Descending: term.Descending})
		}
	}
	return q
}

// Version changes with every write of the record; see [rest.Versioned].
func (m Meta) Version() string {
	return fmt.Sprintf("%d.%x", m.ID, m.UpdatedAt.UnixMicro())
}

// precondition holds the If-Match of a write against the record as it stands, under its lock.
func precondition[T, R any](c *rest.Call, current T, show func(T) R) error {
	if c.Header("If-Match") == "" {
		return nil
	}
	record, ok := any(show(current)).(rest.Versioned)
	if !ok {
		return nil
	}
	return c.IfMatch(record)
}

// words gives an enumeration for a description.
func words(all []string) string { return "`" + strings.Join(all, "`, `") + "`" }
