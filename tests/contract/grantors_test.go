package contract

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// supplier is a grantor with an assessment of its first field, its second field and its first farm, and an active
// profile of each field, by their ids.
type supplier struct {
	grantor
	first, second, ofFarm int64 // assessments
	profiles              [2]int64
}

// suppliers are created record by record in turns, so that the ids of no company are contiguous.
func suppliers(t *testing.T, s *rig.Server, n int) []supplier {
	t.Helper()
	out := make([]supplier, n)
	parcels := rig.Archive(t).Parcels
	for i := range out {
		g := grantor{Client: s.Company("owner", amount(10_000))}
		g.first, g.second = g.Land(parcels[0].Boundary, "2025-03-01", "2025-10-31"), g.Land(parcels[1].Boundary, "2025-03-01", "2025-10-31")
		out[i].grantor = g
	}
	for _, one := range []func(*supplier){
		func(p *supplier) { p.first, _ = assess(t, p.Client, riceBody(t, "field", p.grantor.first.Field)) },
		func(p *supplier) {
			p.ofFarm, _ = assess(t, p.Client, map[string]any{"resource_type": "farm", "resource_id": p.grantor.first.Farm, "assessment_year": 2023})
		},
		func(p *supplier) { p.second, _ = assess(t, p.Client, riceBody(t, "field", p.grantor.second.Field)) },
		func(p *supplier) {
			p.profiles[0] = orderedBy(t, p.Client, p.grantor.first.FieldUUID, p.grantor.first.Season)
		},
		func(p *supplier) {
			p.profiles[1] = orderedBy(t, p.Client, p.grantor.second.FieldUUID, p.grantor.second.Season)
		},
		func(p *supplier) { p.Expect(200, http.MethodPost, assessmentAt(p.first)+"submit/", nil) },
	} {
		for i := range out {
			one(&out[i])
		}
	}
	return out
}

// byCursor returns the ids of a list outside farm management, one record per page.
func byCursor(t *testing.T, c *rig.Client, list, id string) (out []int64) {
	t.Helper()
	for next := list + "&page_size=1&cursor=first"; next != ""; {
		a := c.Expect(200, http.MethodGet, next, nil)
		var page []map[string]json.RawMessage
		a.Into(t, &page)
		require.LessOrEqual(t, len(page), 1)
		for _, one := range page {
			n, err := strconv.ParseInt(string(one[id]), 10, 64)
			require.NoError(t, err)
			out = append(out, n)
		}
		next = ""
		for _, link := range strings.Split(a.Header.Get("Link"), ",") {
			if address, rel, _ := strings.Cut(link, ";"); strings.Contains(rel, `rel="next"`) {
				_, next, _ = strings.Cut(strings.Trim(address, " <>"), "/api/v1.2/")
			}
		}
	}
	return out
}

// column returns the whole numbers in a column of a table, each once, in order.
func column(t *testing.T, table []byte, name string) []int64 {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	require.NoError(t, err)
	at := slices.Index(lines[0], name)
	require.GreaterOrEqual(t, at, 0, "%v", lines[0])
	out := []int64{}
	for _, line := range lines[1:] {
		n, err := strconv.ParseInt(line[at], 10, 64)
		require.NoError(t, err)
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Assessments and profiles of two companies that share are in one list, whichever way it is read, and nothing of a
// third company is among them, nor of the caller's own.
func TestManyGrantorsStandInOneList(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
		all := suppliers(t, s, 4)
		a, b, third, grantee := &all[0], &all[1], &all[2], &all[3] // the grantee has records of its own
		other := s.Company("owner", 0)
		slugs := []string{"assessment.view", "vi-profile.view"}
		everything := joined(t, a.Client, grantee.Client, map[string]any{"target": "all", "slugs": slugs})
		joined(t, b.Client, grantee.Client, map[string]any{"target": "farm", "farm_id": b.grantor.first.Farm, "slugs": slugs})
		joined(t, third.Client, other, map[string]any{"target": "all", "slugs": slugs})
		third.offer(t, grantee.UUID(), map[string]any{"target": "all", "slugs": slugs}) // which nobody accepted

		sorted := func(ids ...int64) []int64 { slices.Sort(ids); return ids }
		c := grantee.Client
		sees := func(assessments, profiles []int64, submitted ...int64) {
			t.Helper()
			require.Equal(t, assessments, sorted(idsAt(t, c, assessmentsPath+"?share=true")...))
			require.Equal(t, assessments, sorted(byCursor(t, c, assessmentsPath+"?share=true", "id")...))
			require.Equal(t, assessments, sorted(byCursor(t, c, assessmentsPath+"?share=true&ordering=-assessment_year", "id")...))
			require.Equal(t, assessments, column(t, c.Expect(200, http.MethodGet, assessmentsPath+"export/?share=true", nil).Body, "id"))
			require.Equal(t, sorted(submitted...), column(t, c.Expect(200, http.MethodGet, assessmentsPath+"export/?share=true&kind=lines", nil).Body, "assessment_id"))
			require.Equal(t, profiles, sorted(ordersListed(t, c, "?share=true")...))
			require.Equal(t, profiles, sorted(byCursor(t, c, rig.OrdersPath+"?share=true", "order_id")...))
			require.Equal(t, profiles, column(t, c.Expect(200, http.MethodGet, "profiles/vegetation-index-profile/series/?share=true&format=csv", nil).Body, "order_id"))
			for i := range all {
				p := &all[i]
				for _, id := range []int64{p.first, p.second, p.ofFarm} {
					c.Expect(status(slices.Contains(assessments, id)), http.MethodGet, assessmentAt(id)+"?share=true", nil)
					c.Expect(status(slices.Contains(assessments, id)), http.MethodGet, assessmentAt(id)+"completeness/?share=true", nil)
					c.Expect(status(p == grantee), http.MethodGet, assessmentAt(id), nil)
				}
				for _, id := range p.profiles {
					c.Expect(status(slices.Contains(profiles, id)), http.MethodGet, path(orders, id)+"?share=true", nil)
					c.Expect(status(slices.Contains(profiles, id)), http.MethodGet, path(orders, id)+"export.csv?share=true", nil)
					c.Expect(status(p == grantee), http.MethodGet, path(orders, id), nil)
				}
				c.Expect(status(slices.Contains(submitted, p.first)), http.MethodGet, assessmentAt(p.first)+"submissions/1/?share=true", nil)
			}
		}
		sees(sorted(a.first, a.second, a.ofFarm, b.first, b.ofFarm), sorted(a.profiles[0], a.profiles[1], b.profiles[0]), a.first, b.first)

		// A filter narrows the whole list, and one that names the third company finds nothing.
		for query, want := range map[string][]int64{
			"&company=" + itoa(a.CompanyID):     {a.first, a.second, a.ofFarm},
			"&company=" + itoa(third.CompanyID): {},
			"&id=" + itoa(third.first):          {},
			"&resource_type=farm":               {a.ofFarm, b.ofFarm},
			"&status=submitted":                 {a.first, b.first},
			"&id=" + itoa(b.first) + "," + itoa(third.first) + "," + itoa(a.second) + "," + itoa(b.second): {a.second, b.first},
		} {
			require.Equal(t, sorted(want...), sorted(idsAt(t, c, assessmentsPath+"?share=true"+query)...), query)
		}
		for query, want := range map[string][]int64{
			"&company=" + itoa(b.CompanyID):               {b.profiles[0]},
			"&company=" + itoa(third.CompanyID):           {},
			"&field=" + itoa(third.grantor.first.Field):   {},
			"&field=" + itoa(a.grantor.second.Field):      {a.profiles[1]},
			"&farm=" + itoa(b.grantor.first.Farm):         {b.profiles[0]},
			"&season=" + itoa(third.grantor.first.Season): {},
		} {
			require.Equal(t, sorted(want...), sorted(ordersListed(t, c, "?share=true"+query)...), query)
		}
		// Nobody except the grantee sees more: neither the third company nor its grantee.
		require.Empty(t, idsAt(t, third.Client, assessmentsPath+"?share=true"))
		require.Equal(t, sorted(third.first, third.second, third.ofFarm), sorted(idsAt(t, other, assessmentsPath+"?share=true")...))
		require.Equal(t, sorted(grantee.first, grantee.second, grantee.ofFarm), sorted(idsAt(t, c, assessmentsPath+"?share=false")...))

		// What is revoked or deleted leaves the list, and the other company's records stay.
		a.Expect(204, http.MethodDelete, everything, nil)
		sees(sorted(b.first, b.ofFarm), []int64{b.profiles[0]}, b.first)
		b.Expect(204, http.MethodDelete, path("field", b.grantor.first.Field), nil)
		require.Equal(t, []int64{b.ofFarm}, idsAt(t, c, assessmentsPath+"?share=true"))
		require.Empty(t, ordersListed(t, c, "?share=true"))
	})
}

func status(found bool) int {
	if found {
		return http.StatusOK
	}
	return http.StatusNotFound
}
