// Package criteria reads which footprints a client requests.
package criteria

import (
	"net/url"
	"strconv"
	"strings"

	"tilth/app/ghg/exchange"
	"tilth/core/fault"
	"tilth/core/footprint"
)

// The parameters of a page.
const (
	LimitParam = "limit"
	AfterParam = "after"
)

// Query is what a client requests of the list.
type Query struct {
	Filter footprint.Filter
	After  string
	Limit  int
}

// Read reads the parameters of the list. Criteria are compared regardless of case. An unknown parameter is
// refused: otherwise its condition would be ignored. Faults: Invalid.
func Read(given url.Values) (q Query, err error) {
	q.Limit = exchange.MaxPage
	for name, values := range given {
		switch criterion, known := footprint.KnownCriterion(name); {
		case known:
			err = q.Filter.Add(criterion, values)
		case name == LimitParam:
			var n uint64
			if n, err = strconv.ParseUint(values[0], 10, 31); err != nil || len(values) > 1 {
				err = fault.New(fault.Invalid, "bad_request", "limit: give one whole number, at least 0.")
			}
			q.Limit = min(int(n), exchange.MaxPage)
		case name == AfterParam && len(values) == 1 && footprint.IsID(values[0]):
			q.After = strings.ToLower(values[0])
		case name == AfterParam:
			err = fault.New(fault.Invalid, "bad_request", "after: use the link of the previous page unchanged.")
		default:
			err = fault.New(fault.Invalid, "bad_request", "There is no such criterion. The criteria are productId, companyId, geography, classification, validOn, validAfter, validBefore and status.")
		}
		if err != nil {
			return Query{}, err
		}
	}
	return q, nil
}
