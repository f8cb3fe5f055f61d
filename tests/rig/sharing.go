package rig

import (
	"context"
	"net/http"

	"github.com/stretchr/testify/require"
)

// UUID gives the uuid of the client's company, by which others name it.
func (c *Client) UUID() string {
	c.server.t.Helper()
	company, err := c.server.Operating.Company(context.Background(), c.CompanyID)
	require.NoError(c.server.t, err)
	return company.UUID
}

// Offer offers everything to a company made for it, which has not answered yet.
func (c *Client) Offer() {
	c.server.t.Helper()
	to := c.server.Company("owner", 0)
	c.Expect(http.StatusOK, http.MethodPost, "share-grant/", map[string]any{"grantee_uuid": to.UUID(), "target": "all"})
}
