package rig

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// Land is a farm with a field covered by an archive, a season and a crop, ready for orders.
type Land struct {
	Farm, Field, Season, Crop, Cultivation int64
	FieldUUID                              string
}

// GeoJSON returns a boundary as it is sent.
func GeoJSON(t testing.TB, m geo.MultiPolygon) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	return raw
}

// Square is a square field of about side metres at the demo's place, moved east by
// steps of its own width.
func Square(side float64, step int) geo.MultiPolygon {
	const lat, lon = 41.70, -4.90
	dy := side / 111_000
	dx := dy / 0.7466 // cos 41.7°
	x := lon + float64(step)*dx*1.1
	return geo.MultiPolygon{{{{X: x, Y: lat}, {X: x + dx, Y: lat}, {X: x + dx, Y: lat + dy}, {X: x, Y: lat + dy}, {X: x, Y: lat}}}}
}

// Land makes a farm, a field with a boundary, a season and a cultivation.
func (c *Client) Land(boundary geo.MultiPolygon, from, to string) Land {
	t := c.server.t
	t.Helper()
	var l Land
	l.Farm = c.Make("farm/", map[string]any{"name": "Farm"})
	field := c.Expect(200, "POST", "field/", map[string]any{"name": "Field", "farm_id": l.Farm, "boundary": GeoJSON(t, boundary)}).Data(t)
	l.Field, l.FieldUUID = int64(field["id"].(float64)), field["uuid"].(string)
	l.Season = c.Make("season/", map[string]any{"name": "Season", "start_date": from, "end_date": to})
	l.Crop = c.Crop("wheat")
	l.Cultivation = c.Make("cultivation/", map[string]any{"field_id": l.Field, "season_id": l.Season, "crop_id": l.Crop})
	return l
}

// Crop returns the id of a crop whose name contains a word.
func (c *Client) Crop(name string) int64 {
	t := c.server.t
	t.Helper()
	var page struct {
		Results []struct{ ID int64 }
	}
	c.Expect(200, "GET", "crop/?search="+name, nil).Into(t, &page)
	require.NotEmpty(t, page.Results)
	return page.Results[0].ID
}

// OrderBody is the body of a profile order.
func (l Land) OrderBody() map[string]any {
	return map[string]any{"field_uuid": l.FieldUUID, "season_id": l.Season}
}

// OrdersPath is where profiles are ordered.
const OrdersPath = "profiles/vegetation-index-profile/orders/"

// Profile is a retrieved order.
type Profile struct {
	OrderID     int64 `json:"order_id"`
	Status      string
	Reason      *string
	IndexCode   string `json:"index_code"`
	Field       int64
	Season      int64
	StartDate   string `json:"start_date"`
	EndDate     string `json:"end_date"`
	ProfileUUID string `json:"profile_uuid"`
	Synthetic   bool
	SmallField  bool    `json:"small_field"`
	CloudMask   *string `json:"cloud_mask"`
	Profile     []struct {
		Date  string
		Value float64
	}
	Observations []struct {
		Date     string
		Value    float64
		Coverage float64
		NValid   int `json:"n_valid"`
		NPolygon int `json:"n_polygon"`
		Median   float64
		Std      float64
		Min, Max float64
		Items    []string
	}
	Rejected []struct {
		Date     string
		Reason   string
		Coverage float64
		NValid   int `json:"n_valid"`
		NPolygon int `json:"n_polygon"`
	}
}

// Wallet is a company's wallet.
type Wallet struct{ Balance, Held, Available float64 }

// Wallet returns the client's wallet.
func (c *Client) Wallet() Wallet {
	c.server.t.Helper()
	var w Wallet
	c.Expect(200, "GET", "wallet/", nil).Into(c.server.t, &w)
	return w
}

// Until waits until an order has a status, and returns it with its details.
func (c *Client) Until(order int64, status string) Profile {
	t := c.server.t
	t.Helper()
	var p Profile
	Eventually(t, func() bool {
		p = Profile{}
		c.Expect(200, "GET", OrdersPath+Itoa(order)+"/?detail=true", nil).Into(t, &p)
		require.False(t, p.Status == "failed" && status != "failed", "the order failed: %v", p.Reason)
		return p.Status == status
	}, 3*time.Minute, 20*time.Millisecond, "the order never became %s", status)
	return p
}

// Itoa formats an id for a path.
func Itoa(id int64) string { return strconv.FormatInt(id, 10) }
