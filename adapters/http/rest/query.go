package rest

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/core/fault"
)

// Values are the query parameters of a request, read as their route declares them.
type Values struct{ parsed map[string]any }

// query reads the declared parameters of the request; what is not declared is ignored.
// Faults: Invalid, which names every malformed parameter.
func (c *Call) query() (Values, error) {
	if c.values.parsed != nil {
		return c.values, nil
	}
	v := Values{map[string]any{}}
	raw, err := url.ParseQuery(c.request.URL.RawQuery)
	if err != nil {
		return v, fault.Field(fault.NonField, "The query string is not well-formed; percent-encode what is in it.")
	}
	errs := fault.Fields{}
	for _, p := range c.route.Query {
		given := raw[p.Name]
		switch {
		case len(given) == 0 || p.Type == String && given[0] == "" && len(given) == 1:
			if p.Required {
				errs.Add(p.Name, "This parameter is required.")
			}
		case len(given) > 1:
			errs.Add(p.Name, "Give this parameter once.")
		default:
			value, message := p.parse(given[0])
			if message != "" {
				errs.Add(p.Name, message)
				continue
			}
			v.parsed[p.Name] = value
		}
	}
	if err := errs.Err(); err != nil {
		return v, err
	}
	c.values = v
	return v, nil
}

// parse reads one value; the message is empty where it is well-formed.
func (p Param) parse(text string) (value any, message string) {
	switch p.Type {
	case Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Sprintf("%q is no whole number.", clip(text))
		}
		return n, ""
	case Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, fmt.Sprintf("%q is no number.", clip(text))
		}
		return n, ""
	case Boolean:
		switch strings.ToLower(text) {
		case "true", "1":
			return true, ""
		case "false", "0":
			return false, ""
		}
		return nil, fmt.Sprintf("%q is neither true nor false.", clip(text))
	case DateType:
		d, err := ParseDate(text)
		if err != nil {
			return nil, checkFormat("date", text)
		}
		return d, ""
	case Timestamp:
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return nil, checkFormat("date-time", text)
		}
		return t.UTC(), ""
	case UUID:
		return strings.ToLower(text), checkFormat("uuid", text)
	case pageNumber:
		return parsePage(text)
	case pageSize:
		return parsePageSize(text)
	case ordering:
		return p.parseOrdering(text)
	default:
		return p.parseText(text)
	}
}

func (p Param) parseText(text string) (any, string) {
	if strings.ContainsRune(text, 0) || !isText(text) {
		return nil, "This is no text."
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
		return nil, fmt.Sprintf("%q is not one of: %s.", clip(text), strings.Join(p.Enum, ", "))
	}
	return text, ""
}

func isText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// All returns every parameter that was given, by name: int64, float64, string, bool, Date
// or time.Time, as declared.
func (v Values) All() map[string]any { return v.parsed }
