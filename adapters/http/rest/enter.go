package rest

import (
	"net/http"
	"strconv"

	"tilth/core/access"
)

// companyHeader names the company that the caller wants to act in, by its id.
const companyHeader = "X-Company"

// enter returns the caller as it acts in the company that the request names, if any. What
// is no id is the id of no company.
func (a *API) enter(r *http.Request, who access.Principal) (access.Principal, error) {
	given := r.Header.Values(companyHeader)
	if len(given) == 0 || a.config.Enter == nil {
		return who, nil
	}
	id, err := strconv.ParseInt(given[0], 10, 64)
	if err != nil || len(given) > 1 {
		id = 0
	}
	return a.config.Enter(r.Context(), who, id)
}
