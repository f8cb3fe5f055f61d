package contract

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// looked is what a retrieve reports about refreshing.
type looked struct {
	Refreshing    bool
	LastCheckedAt time.Time `json:"last_checked_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	Profile       []struct {
		Date  string
		Value float64
	}
}

// TestRetrieveAsksForARefresh checks that the response comes at once and states the refresh,
// and that the refresh finds what arrived late and what was reprocessed, at no charge.
func TestRetrieveAsksForARefresh(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		shelf := rig.NewShelf(t, "2025-05-05", "2025-05-10", "2025-05-15")
		s := rig.Start(t, rig.Options{Database: database, Imagery: shelf.Dir})
		c := s.Company("owner", 1000_00)
		land := c.Land(shelf.Field, "2025-05-01", "2025-08-31")
		order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
		c.Until(order, "active")
		retrieve := func() (p looked) {
			t.Helper()
			c.Expect(200, "GET", rig.OrdersPath+itoa(order)+"/", nil).Into(t, &p)
			return p
		}
		fresh, wallet := retrieve(), c.Wallet()
		require.False(t, fresh.Refreshing, "it was checked just now")
		require.Len(t, fresh.Profile, 3)

		shelf.Replace("2025-05-10", "2025-05-20", "2025-07-02T00:00:00Z")
		shelf.Hold("2025-05-05", "2025-05-10", "2025-05-30")
		lastChecked(t, database, c.CompanyID, order, time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC))
		stale := retrieve()
		require.True(t, stale.Refreshing)
		require.Equal(t, fresh.Profile, stale.Profile, "the answer is what there was")

		var now looked
		rig.Eventually(t, func() bool { now = retrieve(); return !now.Refreshing }, 10*time.Minute, 20*time.Millisecond)
		require.Len(t, now.Profile, 3)
		for i, day := range []struct{ date, from string }{{"2025-05-05", "2025-05-05"}, {"2025-05-10", "2025-05-20"}, {"2025-05-30", "2025-05-30"}} {
			require.Equal(t, day.date, now.Profile[i].Date)
			require.InDelta(t, shelf.Truth[day.from].MeanNDVI, now.Profile[i].Value, 1e-9)
		}
		require.False(t, now.LastCheckedAt.Before(fresh.LastCheckedAt))
		require.Equal(t, now.LastCheckedAt, now.UpdatedAt)
		require.Equal(t, wallet, c.Wallet())

		// A company that the profile is shared with may also trigger it.
		guest := s.Company("owner", 0)
		grant := c.Make("share-grant/", map[string]any{"grantee_uuid": guest.UUID(), "target": "all", "slugs": []string{"field.view", "vi-profile.view"}})
		guest.Expect(200, "POST", path("share-grant", grant)+"accept/", nil)
		long := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
		lastChecked(t, database, c.CompanyID, order, long)
		look := func() (p looked) {
			t.Helper()
			guest.Expect(200, "GET", rig.OrdersPath+itoa(order)+"/?share=true", nil).Into(t, &p)
			return p
		}
		shared := look()
		require.True(t, shared.Refreshing)
		require.Equal(t, now.Profile, shared.Profile)
		rig.Eventually(t, func() bool { shared = look(); return !shared.Refreshing }, 10*time.Minute, 20*time.Millisecond)
		require.True(t, shared.LastCheckedAt.After(long))
		require.Equal(t, now.UpdatedAt, shared.UpdatedAt, "it found nothing new")
	})
}

// lastChecked moves the time at which an order was last checked, as if days had passed.
func lastChecked(t *testing.T, database string, company, order int64, at time.Time) {
	t.Helper()
	db, err := persistence.Open(t.Context(), database, persistence.Options{
		Clock: identity.Clock{}, IDs: identity.Random{}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		s, err := tx.Orders.GetForUpdate(ctx, access.Own(company), order)
		if err != nil {
			return err
		}
		require.Equal(t, vegetation.Active, s.Status)
		s.LastCheckedAt = &at
		return tx.Orders.Update(ctx, access.Own(company), s)
	}))
}

func TestDoctorNamesBadItemsOfAFolder(t *testing.T) {
	t.Parallel()
	shelf := rig.NewShelf(t, "2025-05-05", "2025-05-10")
	name := shelf.Scene("2025-05-10") + ".json"
	require.NoError(t, os.WriteFile(filepath.Join(shelf.Dir, "2025-05-10", name), []byte(`{"type":"Feature"}`), 0o600))
	out, errOut, status := run(t, rig.SQLite(t), "", "doctor", "--json", "--imagery-url", shelf.Dir)
	require.Equal(t, 1, status, errOut)
	var findings []struct {
		Part, Detail, Fix string
		OK                bool
	}
	require.NoError(t, json.Unmarshal([]byte(out), &findings), out)
	for _, f := range findings {
		if f.Part == "imagery" {
			require.False(t, f.OK)
			require.Contains(t, f.Detail, "1 scenes")
			require.Contains(t, f.Detail, name)
			require.NotEmpty(t, f.Fix)
			return
		}
	}
	t.Fatal("nothing about the imagery")
}
