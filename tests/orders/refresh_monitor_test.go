package orders

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/monitoring"
	"tilth/ports"
	"tilth/tests/rig"
)

// look runs the due work of watching: the sweep for due orders, and the refreshes that it queues. It returns the number
// of refreshes.
func (h *farmhouse) look() (refreshes int) {
	h.Helper()
	for range 2 { // what the first sweep queues becomes due within the hour
		_, err := h.orders.LookForDue(h.ctx)
		require.NoError(h, err)
		for _, job := range h.due() {
			require.Equal(h, satellite.RefreshJob, job.Kind)
			require.NoError(h, h.refresh.Run(h.ctx, job))
			refreshes++
		}
		h.clock.move(monitoring.SweepEvery)
	}
	return refreshes
}

// told returns the types of the events that have not been returned yet, and the last alert.
func (h *farmhouse) told() (types []string, alert event.FieldAlert) {
	h.Helper()
	rows, err := h.db.Relay().Pending(h.ctx, h.clock.Now(), time.Hour, 100)
	require.NoError(h, err)
	for _, row := range rows {
		types = append(types, row.Type)
		if row.Type == event.TypeFieldAlert {
			require.NoError(h, json.Unmarshal(row.Data, &alert))
		}
		require.NoError(h, h.db.Relay().Published(h.ctx, []int64{row.Seq}, h.clock.Now()))
	}
	return types, alert
}

// A watched field is kept up to date although nobody requests it, and a drop of its index raises one alert, whatever happens later.
func TestAWatchedFieldRaisesOneAlert(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		days := []string{"2025-05-05", "2025-05-15", "2025-05-20", "2025-05-25", "2025-05-30"}
		h := settle(t, database, days...)
		h.clock.move(25 * time.Hour)
		require.Zero(t, h.look(), "nobody watches it yet")

		rules := []monitoring.Rule{{Kind: monitoring.Drop, Change: 0.1, Days: 14}}
		m, err := h.orders.Watch(h.ctx, h.who, h.order, rules)
		require.NoError(t, err)
		require.Empty(t, m.Alerts)
		require.Equal(t, 1, h.look())
		types, _ := h.told()
		require.Empty(t, types, "there is nothing new")
		require.Zero(t, h.look(), "it was checked just now")

		// The crop ripens.
		h.shelf.Hold(append(days, "2025-06-09")...)
		h.clock.move(25 * time.Hour)
		require.Equal(t, 1, h.look())
		types, alert := h.told()
		require.ElementsMatch(t, []string{event.TypeProfileUpdated, event.TypeFieldAlert}, types)
		require.Equal(t, "drop", alert.Kind)
		require.Equal(t, "2025-06-09", alert.Date)
		require.Equal(t, h.field.ID, alert.Field)
		require.Less(t, alert.Value, *alert.Against-0.1)
		m, err = h.orders.Monitor(h.ctx, h.who, h.order)
		require.NoError(t, err)
		require.Len(t, m.Alerts, 1)

		h.shelf.Hold(append(days, "2025-06-09", "2025-06-19")...)
		h.clock.move(25 * time.Hour)
		require.Equal(t, 1, h.look())
		types, _ = h.told()
		require.Equal(t, []string{event.TypeProfileUpdated}, types, "once a season")

		// Another rule finds what is already visible at once.
		m, err = h.orders.Watch(h.ctx, h.who, h.order, append(rules, monitoring.Rule{Kind: monitoring.Drop, Change: 0.15, Days: 14}))
		require.NoError(t, err)
		require.Len(t, m.Alerts, 2)
		types, _ = h.told()
		require.Equal(t, []string{event.TypeFieldAlert}, types)

		require.NoError(t, h.orders.Unwatch(h.ctx, h.who, h.order))
		require.True(t, fault.Is(h.orders.Unwatch(h.ctx, h.who, h.order), fault.NotFound))
		h.clock.move(25 * time.Hour)
		require.Zero(t, h.look())
		ledger, err := h.orders.Transactions(h.ctx, h.who, ports.Query{})
		require.NoError(t, err)
		require.EqualValues(t, 3, ledger.Count, "watching costs nothing")
	})
}
