package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/event"
	"tilth/ports"
)

func testOutbox(t *testing.T, b Backend) {
	w := newWorld(t, b)
	payload := event.ProfileCompleted{ProfileUUID: "u", OrderID: 1, Field: 2, FieldUUID: "f", Season: 3, IndexCode: "NDVI", Status: "active", Observations: 4}
	made := func(id string) event.Event {
		return event.Event{ID: id, Type: event.TypeProfileCompleted, CompanyID: w.ours.scope.Company(), Subject: "profile/u", At: w.clock.Now(), Data: payload}
	}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Outbox.Add(w.ctx))
		return tx.Outbox.Add(w.ctx, made("1"), made("2"))
	})
	err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		require.NoError(t, tx.Outbox.Add(ctx, made("never")))
		return errChanged
	})
	require.ErrorIs(t, err, errChanged)
	w.write(func(tx ports.Repos) error { return tx.Outbox.Add(w.ctx, made("3")) })

	pending := func(limit int) (out []string) {
		rows, err := w.Relay().Pending(w.ctx, w.clock.Now(), lease, limit)
		require.NoError(t, err)
		for _, row := range rows {
			out = append(out, row.ID)
			var data event.ProfileCompleted
			require.NoError(t, json.Unmarshal(row.Data, &data))
			require.Equal(t, payload, data)
			require.Equal(t, kept(begin), row.At)
			require.Equal(t, w.ours.scope.Company(), row.CompanyID)
			require.Equal(t, "profile/u", row.Subject)
			require.Equal(t, event.TypeProfileCompleted, row.Type)
		}
		return out
	}
	require.Equal(t, []string{"1", "2"}, pending(2), "oldest first, and nothing of what was rolled back")
	require.Empty(t, pending(10), "one relay at a time: another would publish 3 before 1 and 2")
	w.clock.move(lease)
	rows, err := w.Relay().Pending(w.ctx, w.clock.Now(), lease, 10)
	require.NoError(t, err)
	require.Len(t, rows, 3, "what was not acknowledged comes again")
	require.Equal(t, 2, rows[0].Attempts)
	require.NoError(t, w.Relay().Published(w.ctx, []int64{rows[1].Seq}, w.clock.Now()))
	require.NoError(t, w.Relay().Published(w.ctx, []int64{rows[1].Seq}, w.clock.Now().Add(time.Hour)))
	w.clock.move(lease)
	require.Equal(t, []string{"1", "3"}, pending(10))
}
