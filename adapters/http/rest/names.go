package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tilth/adapters/http/body"
	"tilth/adapters/http/credential"
	"tilth/core/fault"
)

// There is one rule for names. A query parameter that the route does not declare, and a member of a body that its schema does not
// have, are refused, so that the document and the handlers know the same names. Also known, but ignored, are the members that GET
// answers at the same address, which can be sent back, and what the specification itself calls not writable or not applicable
// ([Route.Inapplicable]). External standards ([Dialect]) have rules of their own, and are exempt.

// preferHeader requests that unknown names are ignored, as handling=lenient (RFC 7240, section 4.4).
const preferHeader = "Prefer"

// ignoredHeader lists the names that were ignored.
const ignoredHeader = "Tilth-Ignored"

// Bounds of that list: proxies accept headers of a few kilobytes.
const (
	maxIgnored     = 50
	maxIgnoredName = 200 // bytes
)

// Lenient reports whether the caller, or the operator for all callers, wants unknown names to be ignored.
func (c *Call) Lenient() bool {
	for preference := range strings.SplitSeq(strings.Join(c.request.Header.Values(preferHeader), ","), ",") {
		if strings.EqualFold(strings.ReplaceAll(preference, " ", ""), "handling=lenient") {
			return true
		}
	}
	return c.api.config.IgnoreUnknown
}

// Ignored lists ignored names in the answer.
func (c *Call) Ignored(unknown fault.Fields) { c.ignored("", unknown) }

// ignored lists names below an index of a bulk; at is empty outside a bulk.
func (c *Call) ignored(at string, unknown fault.Fields) {
	if len(unknown) == 0 {
		return
	}
	for _, name := range (fault.Fields{at: unknown}).Unknowns() {
		name = headerText(strings.TrimPrefix(name, "."))
		switch {
		case slices.Contains(c.passed, name):
		case len(c.passed) < maxIgnored:
			c.passed = append(c.passed, name)
		case len(c.passed) == maxIgnored:
			c.passed = append(c.passed, "...")
		}
	}
	c.SetHeader(ignoredHeader, strings.Join(c.passed, ", "))
}

// headerText returns a name as an item of a header: bytes that are not visible ASCII, commas and percent signs are percent-encoded.
func headerText(name string) string {
	var out strings.Builder
	for _, b := range []byte(name) {
		switch {
		case out.Len() >= maxIgnoredName:
			return out.String() + "..."
		case b <= ' ' || b > '~' || b == ',' || b == '%':
			out.WriteString(url.PathEscape(string([]byte{b})))
		default:
			out.WriteByte(b)
		}
	}
	return out.String()
}

// strict reports whether unknown names are refused.
func (r *Route) strict() bool { return !r.AnyQuery && !r.dialect.foreign() }

// Takes reports whether the route declares a query parameter.
func (c *Call) Takes(name string) bool {
	return slices.ContainsFunc(c.route.Query, func(p Param) bool { return p.Name == name })
}

// unknownParams finds the parameters of a query that the route does not declare.
func (c *Call) unknownParams(given url.Values) fault.Fields {
	unknown, r := fault.Fields{}, c.route
	if !r.strict() {
		return unknown
	}
	var known []string
	for _, p := range r.Query {
		known = append(known, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !c.Takes(name) && !r.passes(name) && len(unknown) < maxIgnored {
			unknown.Unknown(name, known)
		}
	}
	return unknown
}

// passes reports whether an undeclared query parameter is ignored: a credential that the route takes in this way, share on a route
// of a record that shares none, where it opens nothing of other companies whatever its value, and an inapplicable name.
func (r *Route) passes(name string) bool {
	return (name == credential.KeyParam || name == credential.KeyHeader) && r.Keys == KeyInQuery || name == credential.LinkParam && r.Links ||
		name == ShareParam.Name && strings.Contains(r.Path, "{") && r.dialect == nil ||
		slices.Contains(r.Inapplicable, name)
}

// readOnly returns the members of a body that are ignored: those that GET answers at the address of the route, or of the
// list that the record is in, and inapplicable ones.
func (a *API) readOnly(r Route, pattern string) body.Members {
	out := body.Members{}
	for _, p := range []string{pattern, listOf(pattern)} {
		if e := a.endpoints[nameless(p)]; e != nil {
			if get := e.methods[http.MethodGet]; get != nil && get.form.record != nil {
				maps.Copy(out, body.MembersOf(get.form.record))
			}
		}
	}
	for _, name := range r.Inapplicable {
		out[name] = nil
	}
	return out
}

// also returns the members of a body that its defined schema adds.
func (c *Call) also() []string {
	if c.route.Body == nil || c.route.Body.is.With == "" {
		return nil
	}
	properties, _ := c.api.defined[c.route.Body.is.With]["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// listOf returns the pattern of the list that a record is in; empty if the pattern is not that of a record.
func listOf(pattern string) string {
	i := strings.LastIndex(pattern, "{")
	if i < 0 || !strings.HasSuffix(pattern, "}/") {
		return ""
	}
	return pattern[:i]
}
