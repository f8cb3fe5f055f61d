package contract

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/realdata"
	"tilth/tests/rig"
)

// The walk on the synthetic archive: every field's series is what its maker computed
// from the pixel values it wrote, and lies on the growth curve.
func TestSyntheticSeriesEqualTheTruth(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		archive := rig.Archive(t)
		c := s.Company("owner", 1000_00)
		farm := c.Make("farm/", map[string]any{"name": "Farm"})
		season := c.Make("season/", map[string]any{"name": "S", "start_date": archive.From.Format("2006-01-02"), "end_date": archive.To.Format("2006-01-02")})
		orders := map[string]int64{}
		for _, p := range archive.Parcels {
			field := c.Expect(200, "POST", "field/", map[string]any{"name": p.Name, "farm_id": farm, "boundary": rig.GeoJSON(t, p.Boundary)}).Data(t)
			placed := c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": field["uuid"], "season_id": season}).Data(t)
			require.Equal(t, "processing", placed["status"])
			require.Len(t, placed, 2)
			orders[p.Name] = int64(placed["order_id"].(float64))
		}
		points, smallPoints := 0, 0
		for _, p := range archive.Parcels {
			got := c.Until(orders[p.Name], "active")
			require.True(t, got.Synthetic)
			require.Equal(t, "NDVI", got.IndexCode)
			values, valid := map[string]float64{}, map[string]int{}
			for _, o := range got.Observations {
				values[o.Date], valid[o.Date] = o.Value, o.NValid
			}
			for _, r := range got.Rejected {
				valid[r.Date] = r.NValid
			}
			for _, row := range archive.Truth {
				if row.Parcel != p.Name {
					continue
				}
				date := row.Date.Format("2006-01-02")
				value, accepted := values[date]
				if got.SmallField {
					// Below ten pixels the maker's rule accepts nothing; weighted by area, the mean is that of the curve.
					if accepted {
						require.InDelta(t, row.CurveNDVI, value, 3e-4, "%s on %s", p.Name, date)
						smallPoints++
					}
					delete(values, date)
					continue
				}
				require.Equal(t, row.Accepted, accepted, "%s on %s", p.Name, date)
				if accepted {
					require.InDelta(t, row.MeanNDVI, value, 1e-9, "%s on %s", p.Name, date)
					require.InDelta(t, row.CurveNDVI, value, 3e-4, "%s on %s: off the growth curve", p.Name, date)
					require.Equal(t, row.NValid, valid[date])
					points++
				}
				delete(values, date)
			}
			require.Empty(t, values, "%s has dates that the maker never wrote", p.Name)
			require.Len(t, got.Profile, len(got.Observations))
			seasonOfCurve(t, c, orders[p.Name], p)
		}
		require.Greater(t, points, 100)
		require.Greater(t, smallPoints, 10)
	})
}

// The walk on real input: the pivot field near Valladolid, 2019.
func TestValladolid2019EqualsTheReference(t *testing.T) {
	t.Parallel()
	folder := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	outline, err := os.ReadFile(filepath.Join(folder, "field.geojson"))
	require.NoError(t, err)
	boundary, err := geo.ParseGeoJSON(nil, outline, geo.DefaultLimits())
	require.NoError(t, err)
	want := reference(t, realdata.Path(t, "satellite", "reference", "spain_ndvi.csv"))
	openEO := openEOMeans(t, filepath.Join(folder, "openeo_mean_ndvi_and_s1.csv"))

	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Imagery: folder})
		c := s.Company("owner", 100_00)
		land := c.Land(boundary.Geometry(), "2019-01-01", "2019-12-31")
		placed := c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)
		got := c.Until(int64(placed["order_id"].(float64)), "active")
		require.False(t, got.Synthetic)
		require.Len(t, got.Profile, 31)
		require.Len(t, got.Rejected, 2)
		require.Len(t, want, 33)
		agree := 0
		for _, o := range got.Observations {
			ref := want[o.Date]
			require.InDelta(t, ref.mean, o.Value, 1e-6, o.Date)
			require.InDelta(t, ref.median, o.Median, 1e-6, o.Date)
			require.InDelta(t, ref.std, o.Std, 1e-6, o.Date)
			require.Equal(t, ref.nValid, o.NValid, o.Date)
			require.Equal(t, ref.nGeom, o.NPolygon, o.Date)
			if math.Abs(o.Value-openEO[o.Date]) < 1e-8 {
				agree++
			}
		}
		require.Equal(t, 30, agree, "dates that agree with the openEO back-end to 1e-8; the one that does not has eight pixels of SCL class 2")
		for _, r := range got.Rejected {
			require.Equal(t, want[r.Date].nValid, r.NValid, r.Date)
			require.Less(t, r.Coverage, 0.5)
			require.NotEmpty(t, r.Reason)
		}
		require.Equal(t, []string{"2019-02-06", "2019-07-26"}, []string{got.Rejected[0].Date, got.Rejected[1].Date})
		// 23.24 ha at 1.00 a hectare, rounded up.
		require.InDelta(t, 100-23.25, c.Wallet().Balance, 0.02)
	})
}

type referenceRow struct {
	mean, median, std float64
	nGeom, nValid     int
}

func reference(t *testing.T, file string) map[string]referenceRow {
	out := map[string]referenceRow{}
	for _, row := range readCSV(t, file) {
		out[row["date"]] = referenceRow{
			number(t, row["mean"]), number(t, row["median"]), number(t, row["std_pop"]), int(number(t, row["n_geom"])), int(number(t, row["n_valid"])),
		}
	}
	return out
}

func openEOMeans(t *testing.T, file string) map[string]float64 {
	out := map[string]float64{}
	for _, row := range readCSV(t, file) {
		if row["NDVI"] != "" {
			out[row["date"][:10]] = number(t, row["NDVI"])
		}
	}
	return out
}

func readCSV(t *testing.T, file string) []map[string]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}

func TestTwentyConcurrentOrdersAreOneOrder(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		archive := rig.Archive(t)
		parcel := archive.Parcels[0].Boundary
		c := s.Company("owner", 1)
		land := c.Land(parcel, archive.From.Format("2006-01-02"), archive.To.Format("2006-01-02"))
		refused := c.Expect(402, "POST", rig.OrdersPath, land.OrderBody()).Map(t)
		charge := refused["details"].(map[string]any)["required"].(float64)
		_, err := s.Operating.CreditWallet(t.Context(), c.CompanyID, amount(charge)-1, "enough for one field")
		require.NoError(t, err)

		answers := make([]rig.Answer, 20)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = c.Do("POST", rig.OrdersPath, land.OrderBody()) })
		}
		wg.Wait()
		ids := map[float64]bool{}
		for _, a := range answers {
			switch a.Status {
			case 200:
				ids[a.Data(t)["order_id"].(float64)] = true
			case 409: // the profile was finished between the two
				ids[a.Map(t)["details"].(map[string]any)["order_id"].(float64)] = true
			default:
				t.Fatalf("%d: %s", a.Status, a.Body)
			}
		}
		require.Len(t, ids, 1)
		var order int64
		for id := range ids {
			order = int64(id)
		}
		profile := c.Until(order, "active")

		again := c.Expect(409, "POST", rig.OrdersPath, land.OrderBody()).Map(t)
		require.Equal(t, "duplicate_profile", again["code"])
		require.Equal(t, profile.ProfileUUID, again["details"].(map[string]any)["profile_uuid"])
		require.Equal(t, rig.Wallet{Balance: 0, Held: 0, Available: 0}, c.Wallet())

		// One hold, one capture, for the same amount.
		var ledger []struct {
			Kind   string
			Amount float64
			Order  *int64
		}
		c.Expect(200, "GET", "wallet/transactions/", nil).Into(t, &ledger)
		kinds := map[string]int{}
		for _, l := range ledger {
			kinds[l.Kind]++
			if l.Kind != "credit" {
				require.InDelta(t, charge, l.Amount, 1e-9)
				require.Equal(t, order, *l.Order)
			}
		}
		require.Equal(t, map[string]int{"credit": 2, "hold": 1, "capture": 1}, kinds)

		// The season's dates are fixed now; another season of the same field costs nothing.
		require.Contains(t, c.Expect(400, "PATCH", path("season", land.Season), `{"end_date":"2025-06-01"}`).Map(t)["details"], "end_date")
		next := c.Make("season/", map[string]any{"name": "next", "start_date": "2025-04-01", "end_date": "2025-06-30"})
		free := c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": next}).Data(t)
		c.Until(int64(free["order_id"].(float64)), "active")

		// A second field with an empty wallet.
		other := c.Expect(200, "POST", "field/", map[string]any{"name": "second", "farm_id": land.Farm, "boundary": rig.GeoJSON(t, archive.Parcels[1].Boundary)}).Data(t)
		poor := c.Expect(402, "POST", rig.OrdersPath, map[string]any{"field_uuid": other["uuid"], "season_id": land.Season}).Map(t)
		require.Equal(t, "insufficient_credit", poor["code"])

		// Filters of the list.
		for query, count := range map[string]int{
			"": 2, "?status=active": 2, "?status=failed": 0, "?index_code=dv": 2, "?index_code=EVI": 0, "?field=" + itoa(land.Field): 2,
			"?season=" + itoa(next): 1, "?company=" + itoa(c.CompanyID): 2, "?company=999999": 0, "?created_by=999999": 0, "?page=1&page_size=1": 1,
		} {
			var list []map[string]any
			c.Expect(200, "GET", rig.OrdersPath+query, nil).Into(t, &list)
			require.Len(t, list, count, query)
		}
		c.Expect(400, "GET", rig.OrdersPath+"?status=lost", nil)
		c.Expect(404, "GET", rig.OrdersPath+"999999/", nil)
		s.Company("owner", 0).Expect(404, "GET", rig.OrdersPath+itoa(order)+"/", nil)
	})
}

// An order whose field is deleted while it waits fails, and releases its hold.
func TestDeletingAFieldReleasesItsHold(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2099-01-01", "2099-12-31")
		placed := c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)
		require.Equal(t, "processing", placed["status"])
		order := int64(placed["order_id"].(float64))
		waiting := c.Until(order, "pending")
		require.Contains(t, *waiting.Reason, "has not begun")
		require.Positive(t, c.Wallet().Held)
		c.Expect(204, "DELETE", path("field", land.Field), nil)
		gone := c.Until(order, "failed")
		require.Contains(t, *gone.Reason, "field was deleted")
		require.Equal(t, rig.Wallet{Balance: 1000, Held: 0, Available: 1000}, c.Wallet())
	})
}
