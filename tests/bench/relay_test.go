package bench

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
	"tilth/tests/rig"
)

// relayed is the number of events that one transaction leaves in the outbox.
const relayed = 10_000

// BenchmarkRelay measures how many events per second one process carries from the outbox to every
// consumer: a position in the feed, a delivery row of a webhook, and the outbox entry marked as
// done. The webhook is paused, so nothing is sent. Target: 1,000 events/s on both databases.
func BenchmarkRelay(b *testing.B) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			address := open(b)
			rig.Start(b, rig.Options{Database: address})
			o := newRelaying(b, address)
			total := time.Duration(0)
			for n := 1; b.Loop(); n++ {
				o.commit(b)
				began := time.Now()
				o.wait(b, n*relayed)
				total += time.Since(began)
			}
			b.ReportMetric(float64(b.N*relayed)/total.Seconds(), "events/s")
		})
	}
}

// relaying is a company with a paused webhook.
type relaying struct {
	db      *persistence.Database
	raw     *sql.DB
	company int64
}

func newRelaying(b *testing.B, address string) *relaying {
	driver, dsn := "pgx", address
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		driver, dsn = "sqlite", path+"?_pragma=busy_timeout(5000)"
	}
	raw, err := sql.Open(driver, dsn)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, raw.Close()) })
	db, err := persistence.Open(b.Context(), address, persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	now := time.Now()
	later := now.Add(24 * time.Hour)
	company := ports.Company{UUID: identity.Random{}.UUID(), Name: "Relayed", CreatedAt: now}
	user := ports.User{Email: "relay@test.example", CreatedAt: now}
	require.NoError(b, db.Operate(b.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &company, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = company.ID
		return tx.Accounts.CreateUser(ctx, &user)
	}))
	require.NoError(b, db.Write(b.Context(), func(ctx context.Context, tx ports.Repos) error {
		hook := webhook.Webhook{
			Meta: record.Meta{CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: user.ID}},
			URL:  "https://hooks.example/", IsActive: true, Secret: "whsec_a", PausedUntil: &later,
		}
		return tx.Webhooks.Insert(ctx, access.Own(company.ID), []*webhook.Webhook{&hook})
	}))
	return &relaying{db, raw, company.ID}
}

// commit leaves events in the outbox.
func (o *relaying) commit(b *testing.B) {
	require.NoError(b, o.db.Operate(b.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
		for range relayed / 500 {
			batch := make([]event.Event, 500)
			for i := range batch {
				batch[i] = event.Event{
					ID: identity.Random{}.UUID(), Type: event.TypeProfileCompleted, CompanyID: o.company, Subject: "profile/1",
					At: time.Now(), Data: event.ProfileCompleted{ProfileUUID: identity.Random{}.UUID(), IndexCode: "NDVI", Status: "active", Observations: 40},
				}
			}
			if err := tx.Outbox.Add(ctx, batch...); err != nil {
				return err
			}
		}
		return nil
	}))
}

// wait returns when all events are through.
func (o *relaying) wait(b *testing.B, total int) {
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		require.True(b, time.Now().Before(deadline), "the relay is stuck")
		var waiting bool
		require.NoError(b, o.raw.QueryRowContext(b.Context(), "SELECT EXISTS (SELECT 1 FROM outbox WHERE published_at IS NULL)").Scan(&waiting))
		if !waiting {
			break
		}
	}
	var last, deliveries int
	require.NoError(b, o.raw.QueryRowContext(b.Context(), "SELECT last FROM event_feeds").Scan(&last))
	require.NoError(b, o.raw.QueryRowContext(b.Context(), "SELECT count(*) FROM webhook_deliveries").Scan(&deliveries))
	require.Equal(b, total, last)
	require.Equal(b, total, deliveries)
}
