package stratification_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
)

func square(lon, lat float64) geo.MultiPolygon {
	const side = 0.004
	return geo.MultiPolygon{{{{X: lon, Y: lat}, {X: lon + side, Y: lat}, {X: lon + side, Y: lat + side}, {X: lon, Y: lat + side}, {X: lon, Y: lat}}}}
}

func newOrder(t *testing.T) stratification.Order {
	t.Helper()
	o, err := stratification.NewOrder(stratification.OrderState{
		ID: 7, CompanyID: 1, DataUUID: "u", AOI: stratification.AOIRef{ID: 3}, Land: []stratification.Land{{FieldUUID: "a", Geometry: square(4, 42)}},
	})
	require.NoError(t, err)
	return o
}

// Every transition that is not in the table is refused, and changes nothing.
func TestOrderTransitions(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	moves := map[string]func(o *stratification.Order) error{
		"begin":    func(o *stratification.Order) error { return o.Begin(now) },
		"outage":   func(o *stratification.Order) error { _, _, err := o.SourceUnavailable(now, 0); return err },
		"complete": func(o *stratification.Order) error { return o.Complete(now, layer.Prepared{Digest: "d"}) },
		"fail":     func(o *stratification.Order) error { return o.Fail(now, "why") },
		"retry":    func(o *stratification.Order) error { return o.Retry(now) },
	}
	states := map[stratification.OrderStatus]map[string]stratification.OrderStatus{
		stratification.OrderPending: {"begin": stratification.OrderProcessing, "fail": stratification.OrderFailed},
		stratification.OrderProcessing: {
			"begin": stratification.OrderProcessing, "outage": stratification.OrderPending,
			"complete": stratification.OrderActive, "fail": stratification.OrderFailed,
		},
		stratification.OrderActive: {},
		stratification.OrderFailed: {"retry": stratification.OrderProcessing},
	}
	for from, allowed := range states {
		for name, move := range moves {
			s := newOrder(t).State()
			s.Status = from
			o := stratification.RehydrateOrder(s)
			err := move(&o)
			if to, ok := allowed[name]; ok {
				require.NoError(t, err, "%s of %s", name, from)
				require.Equal(t, to, o.State().Status, "%s of %s", name, from)
				continue
			}
			require.True(t, fault.Is(err, fault.Conflict), "%s of %s: %v", name, from, err)
			require.Equal(t, s, o.State())
		}
	}
}

func TestOrderGivesUpOnASourceThatStaysUnavailable(t *testing.T) {
	o, now := newOrder(t), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	last := time.Duration(0)
	for try := 1; try < stratification.Retry.Tries; try++ {
		require.NoError(t, o.Begin(now))
		next, again, err := o.SourceUnavailable(now, 0.5)
		require.NoError(t, err)
		require.True(t, again)
		require.Greater(t, next.Sub(now), last, "the waits grow")
		last = next.Sub(now)
	}
	require.NoError(t, o.Begin(now))
	_, again, err := o.SourceUnavailable(now, 0.5)
	require.NoError(t, err)
	require.False(t, again)
	require.Equal(t, stratification.OrderFailed, o.State().Status)
}

func TestNextAllowed(t *testing.T) {
	for from, want := range map[string]string{"2026-11-21": "2027-11-21", "2028-02-29": "2029-03-01", "2027-02-28": "2028-02-28"} {
		day, err := time.Parse(time.DateOnly, from)
		require.NoError(t, err)
		require.Equal(t, want, stratification.OrderState{RequestDate: day}.NextAllowed().Format(time.DateOnly))
	}
}

func TestChangedLand(t *testing.T) {
	was := stratification.OrderState{Land: []stratification.Land{{FieldUUID: "a", Geometry: square(4, 42)}, {FieldUUID: "b", Geometry: square(4.1, 42)}}}
	require.Empty(t, was.Changed(was.Land))
	require.Equal(t, []string{"c", "a", "b"}, was.Changed([]stratification.Land{
		{FieldUUID: "c", Geometry: square(4.2, 42)}, {FieldUUID: "a", Geometry: square(4, 42.1)},
	}), "new, moved and gone")
}

// Fields too far from the middle are named.
func TestReachOfAnArea(t *testing.T) {
	near := []stratification.Land{{FieldUUID: "a", Geometry: square(4, 42)}, {FieldUUID: "b", Geometry: square(4.5, 42)}}
	require.Empty(t, stratification.CheckReach(near))
	far := append(near, stratification.Land{FieldUUID: "c", Geometry: square(4, 44.5)})
	errs := stratification.CheckReach(far)
	require.Len(t, errs["field_uuids"], 1)
	require.Contains(t, errs["field_uuids"].([]string)[0], "The field c lies")
}

func TestEndsHaveEventsOfTheirOwn(t *testing.T) {
	a := stratification.OrderState{DataUUID: "u", Status: stratification.OrderFailed}
	b, c := a, a
	b.Retries, c.Status = 1, stratification.OrderActive
	require.Len(t, map[string]bool{a.EventID(): true, b.EventID(): true, c.EventID(): true}, 3)
	require.Equal(t, a.EventID(), stratification.OrderState{DataUUID: "u", Status: stratification.OrderFailed}.EventID())
	require.Len(t, a.EventID(), 36)
}
