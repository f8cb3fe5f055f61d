package satellite

import (
	"context"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/vegetation"
)

// indexParam asks for the series of an index.
var indexParam = rest.Param{Name: "index_code", Type: rest.String, Description: "The series of this index instead of the one that was ordered; whatever its case."}

// waitingText says how a series of another index is answered.
var waitingText = "`?index_code=` gives the series of another index for the same order, at no charge. It is computed once, when it is first asked for; " +
	"the request waits for it up to " + strconv.Itoa(int(satellite.IndexWait.Seconds())) + " seconds, or as long as a `Prefer: wait=` header says, if that is less. " +
	"One that is not ready by then is answered with the status `processing`, an empty profile and `Retry-After`; one that cannot be computed with `failed` and the " +
	"reason: it may be asked for again a day later. An order that is not active is answered with its own status and an empty profile."

// retryLater is how many seconds a caller waits who asks again for a series being computed.
const retryLater = 5

// profileInput names a profile: an order, and the index of its series.
type profileInput struct {
	form.SharedByID
	IndexCode string `query:"index_code"`
}

// index returns the index that is asked for; the zero Index where none is.
// Faults: Invalid (index_code).
func (in profileInput) index() (vegetation.Index, error) {
	if in.IndexCode == "" {
		return vegetation.Index{}, nil
	}
	return vegetation.ParseIndex(in.IndexCode)
}

// waitGiven returns how long a caller would wait (RFC 7240, section 4.3), at most as long as
// anybody does.
func waitGiven(c *rest.Call) time.Duration {
	for preference := range strings.SplitSeq(c.Header("Prefer"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
		if seconds, err := strconv.ParseUint(value, 10, 16); err == nil && strings.EqualFold(name, "wait") {
			return min(satellite.IndexWait, time.Duration(seconds)*time.Second)
		}
	}
	return satellite.IndexWait
}

// retrieved returns an order with the series that is asked for, its own or that of an index.
func retrieved(ctx context.Context, c *rest.Call, orders *satellite.Profiles, in profileInput) (satellite.Profile, error) {
	index, err := in.index()
	if err != nil {
		return satellite.Profile{}, err
	}
	if index.IsZero() {
		return orders.Retrieve(ctx, c.Principal(), in.Share, in.ID)
	}
	found, err := orders.RetrieveIndex(ctx, c.Principal(), in.Share, in.ID, index, waitGiven(c))
	sayLater(c, found.Order)
	return found, err
}

// sayLater says when to ask again for a series that is being computed.
func sayLater(c *rest.Call, order vegetation.OrderState) {
	if order.Status == vegetation.Processing {
		c.SetHeader("Retry-After", strconv.Itoa(retryLater))
	}
}
