package footprint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/core/fault"
)

// Filter selects footprints. Values of one criterion are alternatives, and every criterion that is given must hold.
// Texts are in lower case, because they are compared without regard to case.
type Filter struct {
	ProductIDs, CompanyIDs, Geographies, Classifications, Statuses []string
	ValidOn, ValidAfter, ValidBefore                               *time.Time
}

// maxValues bounds the values of a criterion, and maxValue the bytes of each.
const (
	maxValues = 100
	maxValue  = 1000
)

// criteria are the names of the criteria of lists and requests.
var criteria = []string{"productId", "companyId", "geography", "classification", "validOn", "validAfter", "validBefore", "status"}

// KnownCriterion returns the name of a criterion, whatever its case.
func KnownCriterion(name string) (string, bool) {
	i := slices.IndexFunc(criteria, func(c string) bool { return strings.EqualFold(c, name) })
	if i < 0 {
		return "", false
	}
	return criteria[i], true
}

// Add adds the values of a criterion. Faults: Invalid.
func (f *Filter) Add(criterion string, values []string) error {
	for _, v := range values {
		if len(v) > maxValue || !plainText(v) {
			return badRequest("%s: a value must be text of at most %d bytes.", criterion, maxValue)
		}
	}
	into := map[string]*[]string{
		"productId": &f.ProductIDs, "companyId": &f.CompanyIDs, "geography": &f.Geographies, "classification": &f.Classifications, "status": &f.Statuses,
	}[criterion]
	if into != nil {
		for _, v := range values {
			if v != "" { // a parameter that is left empty asks for nothing
				*into = append(*into, strings.ToLower(v))
			}
		}
		if len(*into) > maxValues {
			return badRequest("%s: at most %d values.", criterion, maxValues)
		}
		return nil
	}
	at := map[string]**time.Time{"validOn": &f.ValidOn, "validAfter": &f.ValidAfter, "validBefore": &f.ValidBefore}[criterion]
	if at == nil {
		return fmt.Errorf("there is no criterion %q", criterion)
	}
	for _, v := range values {
		if v == "" {
			continue
		}
		when, err := moment(v)
		if err != nil || *at != nil {
			return badRequest("%s: give one time, such as 2026-03-01T12:00:00Z.", criterion)
		}
		*at = &when
	}
	return nil
}

// plainText reports whether text can be compared with what is stored.
func plainText(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.ContainsRune(text, 0)
}

// moment reads a time of RFC 3339, also without its seconds or as a date. A plus sign that was not escaped in an address
// has become a space.
func moment(text string) (time.Time, error) {
	text = strings.Replace(text, " ", "+", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1 && at.Year() <= 9999 {
			return at.UTC().Truncate(time.Microsecond), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time", text)
}

// badRequest returns the fault of a client's request.
func badRequest(format string, args ...any) error {
	return fault.Newf(fault.Invalid, "bad_request", format, args...)
}
