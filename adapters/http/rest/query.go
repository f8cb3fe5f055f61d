package rest

import (
	"net/url"

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
			value, message := paramTypes[p.Type].read(p, given[0])
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

// All returns every parameter that was given, by name: int64, float64, string, bool, Date
// or time.Time, as declared.
func (v Values) All() map[string]any { return v.parsed }
