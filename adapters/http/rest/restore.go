package rest

import (
	"context"
	"net/http"
	"strings"
)

// registerRestore adds the route that brings a deleted record back.
func (res Resource[W, R]) registerRestore(a *API) {
	r := res.route(http.MethodPost, res.Access.Delete.For("restore"), "Restore a deleted "+res.Noun)
	r.Path = strings.TrimSuffix(r.Path, "/") + "/restore/"
	r.Description = "Brings back what was deleted within the last 30 days, with what was deleted along with it. " +
		"A record that is not deleted is 400 (`not_deleted`), and so is one whose parent is deleted (`parent_deleted`)."
	r.Message = sentence(res.Noun + " restored.")
	r.Faults = append([]int{http.StatusBadRequest}, r.Faults...)
	Handle(a, r, nil, func(ctx context.Context, c *Call) (R, error) {
		id, err := c.ID("id")
		if err != nil {
			var none R
			return none, err
		}
		return res.Restore(ctx, c, id)
	})
}
