package rig

import (
	"context"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/credit"
)

// STRPrice is the price that Subscribe sets for the stratification of a hectare.
const STRPrice credit.Amount = 1_00

// Subscribe grants the companies of clients a subscription to stratification, and sets that price.
func (s *Server) Subscribe(clients ...*Client) {
	s.t.Helper()
	require.NoError(s.t, s.Operating.SetPrice(context.Background(), credit.ServiceSTR, STRPrice))
	for _, c := range clients {
		_, err := s.Operating.Subscribe(context.Background(), c.CompanyID, access.Stratification, nil)
		require.NoError(s.t, err)
	}
}

// DataOrdersPath is where stratification orders are read.
const DataOrdersPath = "soil/stratification/data-processing/orders/"

// UntilStratified waits until a stratification order has a state, and returns it.
func (c *Client) UntilStratified(order int64, status string) map[string]any {
	c.server.t.Helper()
	var got map[string]any
	Eventually(c.server.t, func() bool {
		got = c.Expect(200, http.MethodGet, DataOrdersPath+Itoa(order)+"/", nil).Data(c.server.t)
		return got["status"] == status || got["status"] == "active" || got["status"] == "failed"
	}, 3*time.Minute, 20*time.Millisecond, "order %d does not end", order)
	require.Equal(c.server.t, status, got["status"], "%v", got["reason"])
	return got
}
