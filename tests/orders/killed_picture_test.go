package orders

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/app/satellite"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// picture is everything that the steps may change.
type picture struct {
	books  books
	orders []vegetation.OrderState
	stored map[vegetation.OrderRef][]vegetation.Reading // of an order's series, or of a map's dates
	jobs   map[vegetation.OrderRef]bool                 // orders with a job
	told   []string                                     // uuids of the orders reported as completed, of profiles or maps, in the order of the feed
}

func (m *machine) picture() picture {
	out := picture{books: m.books(m.rt, m.e), stored: map[vegetation.OrderRef][]vegetation.Reading{}, jobs: map[vegetation.OrderRef]bool{}}
	m.read(func(tx ports.Repos) error {
		ctx := m.t.Context()
		for o, err := range tx.Orders.Each(ctx, m.e.scope, ports.Query{}) {
			require.NoError(m.rt, err)
			out.orders = append(out.orders, o)
		}
		for o, err := range tx.Maps.Of(credit.VegetationIndexMap).Each(ctx, m.e.scope, ports.Query{}) {
			require.NoError(m.rt, err)
			out.orders = append(out.orders, o)
		}
		for _, o := range out.orders {
			out.stored[ref(o)], out.jobs[ref(o)] = m.found(tx, o)
		}
		logged, err := tx.Events.After(ctx, m.e.scope, 0, nil, 100)
		require.NoError(m.rt, err)
		for i, e := range logged {
			require.EqualValues(m.rt, i+1, e.Position, "places without a gap")
			var told struct {
				event.ProfileCompleted
				MapUUID string `json:"map_uuid"`
			}
			require.NoError(m.rt, json.Unmarshal(e.Data, &told))
			out.told = append(out.told, told.ProfileUUID+told.MapUUID)
		}
		return nil
	})
	return out
}

// found returns the readings stored for an order, and whether it has a job.
func (m *machine) found(tx ports.Repos, o vegetation.OrderState) (readings []vegetation.Reading, waits bool) {
	ctx, kind := m.t.Context(), satellite.ProfileJob
	if o.Product == "" {
		var err error
		readings, err = tx.Orders.Readings(ctx, m.e.scope, o.ID)
		require.NoError(m.rt, err)
	} else {
		kind = satellite.VIMapJob
		dates, files, err := tx.Maps.Of(o.Product).Dates(ctx, m.e.scope, o.ID)
		require.NoError(m.rt, err)
		if require.Len(m.rt, files, len(dates.Observations)); len(files) > 0 {
			readings = []vegetation.Reading{dates.Reading()}
		}
	}
	waits, err := tx.Jobs.Waits(ctx, kind, rig.Itoa(o.ID))
	require.NoError(m.rt, err)
	return readings, waits
}

func ref(o vegetation.OrderState) vegetation.OrderRef {
	return vegetation.OrderRef{Product: o.Code(), ID: o.ID}
}

// edges are the transitions that one step, of one or two transactions, can make
// (satellite design, 1).
var edges = map[vegetation.Status][]vegetation.Status{
	"":                    {vegetation.Processing},
	vegetation.Processing: {vegetation.Processing, vegetation.Pending, vegetation.Active, vegetation.Failed},
	vegetation.Pending:    {vegetation.Pending, vegetation.Processing, vegetation.Active, vegetation.Failed},
	vegetation.Failed:     {vegetation.Failed, vegetation.Processing},
	vegetation.Active:     {vegetation.Active},
}

// check checks that what is stored depends only on the states of the orders, whatever was
// killed meanwhile: what is held, charged, queued, stored and reported.
func (m *machine) check(*rapid.T) {
	rt, p := m.rt, m.picture()
	p.books.check(rt)
	open, active, told := map[int64]bool{}, map[int64]bool{}, []string{}
	wishes := map[string]bool{}
	for _, o := range p.orders {
		wish := fmt.Sprint(o.FieldID, o.SeasonID)
		if o.Product != "" {
			wish = o.Key()
		}
		require.False(rt, wishes[wish], "one order a field and season, of a map for each index")
		wishes[wish] = true
		require.Contains(rt, edges[m.seen[ref(o)]], o.Status)
		m.seen[ref(o)] = o.Status
		m.met[string(o.Status)]++
		isOpen, isActive := o.Status == vegetation.Processing || o.Status == vegetation.Pending, o.Status == vegetation.Active
		open[o.FieldID], active[o.FieldID] = open[o.FieldID] || isOpen, active[o.FieldID] || isActive
		require.Equal(rt, o.Status == vegetation.Failed || o.Status == vegetation.Pending, o.Reason != "", "a reason where one is due: %+v", o)
		require.Equal(rt, o.Status == vegetation.Pending, o.NextTryAt != nil, "a time of the next try where one is due")
		require.True(rt, p.jobs[ref(o)] || !isOpen, "an open order has a job")
		if isActive {
			require.Equal(rt, []vegetation.Reading{o.Reading()}, p.stored[ref(o)], "the series that was ordered is stored")
			told = append(told, o.UUID)
		}
	}
	for _, f := range m.e.fields {
		kinds := map[credit.Kind]int{}
		for _, l := range p.books.lines {
			if l.FieldID == f.ID {
				kinds[l.Kind]++
			}
		}
		require.Equal(rt, active[f.ID], kinds[credit.Capture] == 1, "a field is charged when, and only when, one of its orders succeeded")
		held := kinds[credit.Hold] - kinds[credit.Release] - kinds[credit.Capture]
		require.Equal(rt, open[f.ID] && !active[f.ID], held == 1, "a field is held for while an order of it is open and none succeeded")
	}
	for _, uuid := range p.told {
		i := slices.Index(told, uuid)
		require.GreaterOrEqual(rt, i, 0, "one event of an order that is active, and no other")
		told = slices.Delete(told, i, i+1)
	}
}
