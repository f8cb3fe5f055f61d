package rig

import (
	"context"

	"github.com/stretchr/testify/require"
)

// UUID returns the uuid of the client's company, by which others name it.
func (c *Client) UUID() string {
	c.server.t.Helper()
	company, err := c.server.Operating.Company(context.Background(), c.CompanyID)
	require.NoError(c.server.t, err)
	return company.UUID
}
