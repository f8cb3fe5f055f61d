package contract

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/operating"
	"tilth/tests/rig"
)

// table reads a CSV answer.
func table(t *testing.T, a rig.Answer) (rows []map[string]string) {
	t.Helper()
	require.Equal(t, "text/csv; charset=utf-8", a.Header.Get("Content-Type"))
	lines, err := csv.NewReader(bytes.NewReader(a.Body)).ReadAll()
	require.NoError(t, err, "%s", a.Body)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// One order, through every route that returns it.
func TestWhatAnOrderAnswers(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		archive := rig.Archive(t)
		c := s.Company("owner", 100_00)
		land := c.Land(archive.Parcels[0].Boundary, archive.From.Format(time.DateOnly), archive.To.Format(time.DateOnly))

		// The quote is what is charged, and writes nothing.
		quote := c.Expect(200, "POST", rig.OrdersPath+"quote/", land.OrderBody()).Data(t)
		require.Equal(t, map[string]any{"charge": quote["charge"], "available": 100.0, "already_charged": false, "duplicate_of": nil, "scenes": quote["scenes"]}, quote)
		require.Positive(t, quote["scenes"])
		var list []map[string]any
		c.Expect(200, "GET", rig.OrdersPath, nil).Into(t, &list)
		require.Empty(t, list)
		order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
		c.Until(order, "active")
		require.InDelta(t, 100-quote["charge"].(float64), c.Wallet().Balance, 1e-9)
		require.Equal(t, map[string]any{"charge": 0.0, "available": c.Wallet().Available, "already_charged": true, "duplicate_of": float64(order), "scenes": quote["scenes"]},
			c.Expect(200, "POST", rig.OrdersPath+"quote/", land.OrderBody()).Data(t))
		for _, path := range []string{rig.OrdersPath, rig.OrdersPath + "quote/"} { // the same errors
			for status, body := range map[int]map[string]any{
				400: {"field_uuid": land.FieldUUID, "season_id": land.Season, "index_code": "LAI"},
				500: {"field_uuid": land.FieldUUID, "season_id": 999999},
			} {
				c.Expect(status, "POST", path, body)
			}
			require.Contains(t, c.Expect(400, "POST", path, map[string]any{"field_uuid": "00000000-0000-4000-8000-000000000000", "season_id": land.Season}).Map(t)["details"], "field_uuid")
			s.User(c.CompanyID, "viewer").Expect(403, "POST", path, land.OrderBody())
		}

		checkIndices(t, s, c, rig.OrdersPath+rig.Itoa(order)+"/")
		checkFiles(t, c, rig.OrdersPath+rig.Itoa(order)+"/")
		checkLedger(t, s, c, order)
	})
}

// checkIndices requests other indices and the smoothed profile of an active order.
func checkIndices(t *testing.T, s *rig.Server, c *rig.Client, path string) {
	t.Helper()
	var own, other rig.Profile
	c.Expect(200, "GET", path, nil).Into(t, &own)
	// A caller that does not want to wait is told to come back.
	status, body := with(t, s, "GET", path+"?index_code=savi", "", "Authorization", "Bearer "+c.Token, "Prefer", "respond-async, wait=0")
	require.Equal(t, 200, status)
	require.Contains(t, body, `"status":"processing","index_code":"SAVI"`)
	require.Contains(t, body, `"profile":[]`)

	c.Expect(200, "GET", path+"?index_code=evi&detail=true&smoothed=true", nil).Into(t, &other)
	require.Equal(t, []string{"active", "EVI"}, []string{other.Status, other.IndexCode})
	require.Len(t, other.Profile, len(own.Profile))
	require.Len(t, other.Observations, len(own.Profile))
	require.NotEmpty(t, other.Rejected)
	differs := 0
	for i, p := range other.Profile {
		require.Equal(t, own.Profile[i].Date, p.Date, "the same passes")
		if p.Value != own.Profile[i].Value {
			differs++
		}
	}
	require.Equal(t, len(own.Profile), differs)
	var smoothed struct{ Smoothed []struct{ Date string } }
	c.Expect(200, "GET", path+"?index_code=EVI&smoothed=true", nil).Into(t, &smoothed)
	require.Equal(t, own.Profile[0].Date, smoothed.Smoothed[0].Date)
	require.Equal(t, own.Profile[len(own.Profile)-1].Date, smoothed.Smoothed[len(smoothed.Smoothed)-1].Date)
	require.NotContains(t, c.Expect(200, "GET", path, nil).Data(t), "smoothed")

	for _, file := range []string{"", "chart.svg", "chart.png", "export.csv"} {
		refused := c.Expect(400, "GET", path+file+"?index_code=LAI", nil).Map(t)
		require.Contains(t, refused["details"].(map[string]any)["index_code"].([]any)[0], "NDVI, GNDVI", "it names what there is")
	}
	c.Expect(404, "GET", rig.OrdersPath+"999999/?index_code=EVI", nil)
}

// checkFiles looks at the pictures and the table of a profile.
func checkFiles(t *testing.T, c *rig.Client, path string) {
	t.Helper()
	var own rig.Profile
	c.Expect(200, "GET", path+"?detail=true", nil).Into(t, &own)
	for query, index := range map[string]string{"": "NDVI", "?index_code=NDWI": "NDWI"} {
		svg := c.Expect(200, "GET", path+"chart.svg"+query, nil)
		require.Equal(t, "image/svg+xml", svg.Header.Get("Content-Type"))
		require.Contains(t, string(svg.Body), "Field – "+index+", "+own.StartDate+" to "+own.EndDate)
		require.Contains(t, svg.Header.Get("Content-Security-Policy"), "style-src 'unsafe-inline'", "a browser draws the styles")
		for d := xml.NewDecoder(bytes.NewReader(svg.Body)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		picture := c.Expect(200, "GET", path+"chart.png/"+query, nil)
		require.Equal(t, "image/png", picture.Header.Get("Content-Type"))
		_, err := png.DecodeConfig(bytes.NewReader(picture.Body))
		require.NoError(t, err)
	}
	rows := table(t, c.Expect(200, "GET", path+"export.csv", nil))
	require.Len(t, rows, len(own.Observations)+len(own.Rejected))
	o, r := own.Observations, own.Rejected
	for i, row := range rows {
		require.True(t, i == 0 || rows[i-1]["date"] < row["date"], "one order")
		if row["status"] == "accepted" {
			require.Equal(t, []string{o[0].Date, strings.Join(o[0].Items, " ")}, []string{row["date"], row["items"]})
			require.InDelta(t, o[0].Value, number(t, row["value"]), 0)
			require.InDelta(t, o[0].Median, number(t, row["median"]), 0)
			o = o[1:]
			continue
		}
		require.Equal(t, []string{r[0].Date, "rejected", r[0].Reason, "", ""}, []string{row["date"], row["status"], row["reason"], row["value"], row["p90"]})
		r = r[1:]
	}
	// A pending order: a picture that states it, and a table without lines.
	land := c.Land(rig.Square(100, 5), "2099-01-01", "2099-12-31")
	waiting := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
	c.Until(waiting, "pending")
	empty := rig.OrdersPath + rig.Itoa(waiting) + "/"
	require.Contains(t, string(c.Expect(200, "GET", empty+"chart.svg", nil).Body), "The season has not begun.")
	require.Empty(t, table(t, c.Expect(200, "GET", empty+"export.csv?index_code=NBR", nil)))
	pending := c.Expect(200, "GET", empty+"?index_code=NBR&smoothed=true", nil).Data(t)
	require.Equal(t, []any{"pending", "NBR", []any{}, []any{}}, []any{pending["status"], pending["index_code"], pending["profile"], pending["smoothed"]})
}

// checkLedger reads the ledger in all its forms, refunds, and reads who did what.
func checkLedger(t *testing.T, s *rig.Server, c *rig.Client, order int64) {
	t.Helper()
	lines := func(query string) (out []map[string]any) {
		c.Expect(200, "GET", "wallet/transactions/"+query, nil).Into(t, &out)
		return out
	}
	capture := lines("?kind=capture")
	require.Len(t, capture, 1)
	require.Len(t, lines("?order="+rig.Itoa(order)), 2)
	require.Len(t, lines("?product=vegetation_index_profile&kind=hold"), 2)
	require.Empty(t, lines("?product=zoning_map"))
	require.Empty(t, lines("?created_before=2020-01-01T00:00:00Z"))
	require.Len(t, lines("?created_after=2020-01-01T00:00:00Z"), 4)
	c.Expect(400, "GET", "wallet/transactions/?kind=gift", nil)
	c.Expect(400, "GET", "wallet/transactions/?product=weather", nil)
	c.Expect(404, "GET", "wallet/transactions/?kind=capture&page=2", nil)

	before := c.Wallet()
	charge := capture[0]["amount"].(float64)
	wanted := operating.RefundWanted{CompanyID: c.CompanyID, Transaction: int64(capture[0]["id"].(float64)), Note: "=cmd|' /C calc'!A0"}
	_, _, err := s.Operating.Refund(t.Context(), wanted)
	require.NoError(t, err)
	require.InDelta(t, before.Balance+charge, c.Wallet().Balance, 1e-9)
	refund := lines("?kind=refund")
	require.Len(t, refund, 1)
	require.Equal(t, capture[0]["id"], refund[0]["refund_of"])

	// The statement: from nothing to the wallet's balance, each line continuing from the previous one.
	rows := table(t, c.Expect(200, "GET", "wallet/statement/", nil))
	require.Len(t, rows, 2+5)
	first, last := rows[0], rows[len(rows)-1]
	require.Equal(t, []string{"opening balance", "0.00", "0.00", "0.00"}, []string{first["line"], first["balance"], first["held"], first["available"]})
	require.Equal(t, "closing balance", last["line"])
	now := c.Wallet()
	require.InDelta(t, now.Balance, number(t, last["balance"]), 1e-9)
	require.InDelta(t, now.Held, number(t, last["held"]), 1e-9)
	require.InDelta(t, now.Available, number(t, last["available"]), 1e-9)
	require.Equal(t, "'"+wanted.Note, rows[len(rows)-2]["note"], "no spreadsheet runs a note")
	today := time.Now().UTC().Format(time.DateOnly)
	require.Len(t, table(t, c.Expect(200, "GET", "wallet/statement/?to=2020-12-31", nil)), 2)
	require.Len(t, table(t, c.Expect(200, "GET", "wallet/statement/?from=2020-01-01&to=2099-12-31", nil)), 7)
	later := table(t, c.Expect(200, "GET", "wallet/statement/?from=2099-01-01", nil))
	require.Len(t, later, 2)
	require.Equal(t, last["balance"], later[0]["balance"])
	c.Expect(400, "GET", "wallet/statement/?from="+today+"&to=2020-01-01", nil)
	c.Expect(400, "GET", "wallet/statement/?from=yesterday", nil)

	// The trail: the order by its user, the money and the company by the command line.
	ordered := trailOf(t, c, "?resource=vi-profile&record="+rig.Itoa(order))
	require.Len(t, ordered, 1)
	require.Equal(t, []any{"create", ordered[0].User.Name}, []any{ordered[0].Action, ordered[0].Actor})
	for resource, count := range map[string]int{"wallet": 2, "company": 1} {
		entries := trailOf(t, c, "?resource="+resource)
		require.Len(t, entries, count, resource)
		require.Nil(t, entries[0].User)
		require.Equal(t, "operator (command line)", entries[0].Actor)
	}
	require.Equal(t, c.Email, member(trailOf(t, c, "?resource=user&action=create"), "email"))
	s.Disable(c.Email)
	owner := s.User(c.CompanyID, "owner")
	require.Equal(t, true, member(trailOf(t, owner, "?resource=user&action=update"), "disabled"))
}

// member returns the new value of a member in the oldest of some entries.
func member(entries []entry, name string) any {
	if len(entries) == 0 {
		return nil
	}
	for _, c := range entries[len(entries)-1].Changes {
		if c.Member == name {
			return c.After
		}
	}
	return nil
}

// A grantee sees a shared profile in every index, even if nobody requested that index before.
func TestASharedOrderAnswersEveryIndex(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	archive := rig.Archive(t)
	owner, grantee := s.Company("owner", 100_00), s.Company("owner", 0)
	land := owner.Land(archive.Parcels[0].Boundary, archive.From.Format(time.DateOnly), archive.To.Format(time.DateOnly))
	order := int64(owner.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
	owner.Until(order, "active")
	grant := owner.Make("share-grant/", map[string]any{"grantee_uuid": grantee.UUID(), "target": "all", "slugs": []string{"vi-profile.view"}})
	grantee.Expect(200, "POST", path("share-grant", grant)+"accept/", nil)
	at := rig.OrdersPath + rig.Itoa(order) + "/"
	grantee.Expect(404, "GET", at+"?index_code=EVI", nil)
	require.Equal(t, "active", grantee.Expect(200, "GET", at+"?share=true&index_code=EVI", nil).Data(t)["status"])
	chart := string(grantee.Expect(200, "GET", at+"chart.svg?share=true", nil).Body)
	require.NotContains(t, chart, "Field – ", "the grant shows no field, so its name is not told")
	require.Contains(t, chart, "NDVI, ")
}
