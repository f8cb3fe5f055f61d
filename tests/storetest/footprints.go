package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/app"
	"tilth/app/ghg/exchange"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/ghg/report"
	"tilth/core/webhook"
	"tilth/ports"
)

// newVersion stores a submitted version of an estate's assessment, from which a footprint can be made.
func (w *world) newVersion(e estate) ports.AssessmentVersion {
	w.t.Helper()
	text := func(v any) []byte {
		out, err := json.Marshal(v)
		require.NoError(w.t, err)
		return out
	}
	version := ports.AssessmentVersion{
		AssessmentID: e.assessment.ID, Number: 1, Digest: "abc", Snapshot: []byte(`{}`), Engine: "e", EngineVersion: "1", FactorSet: "f", FactorSetVersion: "1", FactorSetDigest: "x", SubmittedAt: w.clock.Now(), GWPSet: "ar6",
		Subject: text(assessment.Subject{Company: e.name, Year: 2024, Crop: "winter_wheat", Country: "france"}),
		Report:  text(report.Report{GWPSet: "ar6", FunctionalUnit: report.FunctionalUnit{ProductT: new(10.0)}, Allocation: report.Allocation{MainSharePct: 100}}),
	}
	w.write(func(tx ports.Repos) error { return tx.AssessmentVersions.Insert(w.ctx, e.scope, &version) })
	return version
}

func termsOf(product string) footprint.Terms {
	return footprint.Terms{ProductIDs: []string{product}, Standards: []string{"ISO14067"}, ExemptedPercent: new(0.0)}
}

func (w *world) newClient(e estate, events string) footprint.Client {
	w.t.Helper()
	client := footprint.Client{Meta: w.meta(e), Name: "Mill", ClientID: w.ids.UUID(), SecretHash: "hash", Generation: 1, EventsURL: events, RecipientSecret: "of the mill"}
	w.write(func(tx ports.Repos) error {
		return tx.FootprintClients.Insert(w.ctx, e.scope, []*footprint.Client{&client})
	})
	return client
}

// testFootprints checks what is published against every filter, only within its own company, and that it never changes.
func testFootprints(t *testing.T, b Backend) {
	w := newWorld(t, b)
	use := &exchange.Publishing{Deps: app.Deps{Store: w.Database, Gate: app.NewGate(anyone{}, nil, nil), Clock: w.clock, IDs: identity.Random{}}}
	publish := func(e estate, terms footprint.Terms) footprint.Publication {
		t.Helper()
		who := access.Principal{UserID: e.user.ID, Name: e.user.Name, CompanyID: e.scope.Company()}
		made, err := use.Publish(w.ctx, who, exchange.VersionOf{Assessment: e.assessment.ID, Number: 1}, "s", func() (footprint.Terms, error) { return terms, nil })
		require.NoError(t, err)
		require.False(t, made.Unchanged)
		return made.Publication
	}
	w.newVersion(w.ours)
	w.newVersion(w.theirs)
	first := publish(w.ours, termsOf("urn:x-a:One"))
	other := termsOf("urn:x-a:two")
	other.ProductClassifications, other.CompanyIDs, other.Country = []string{"urn:x-c:1"}, []string{"urn:x-co:1"}, "DE"
	other.ValidFrom, other.ValidUntil = new(time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)), new(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	second := publish(w.ours, other)
	foreign := publish(w.theirs, termsOf("urn:x-a:one"))

	a, z := first.Document.ID, second.Document.ID
	at := func(text string) *time.Time {
		when, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return &when
	}
	for name, c := range map[string]struct {
		filter footprint.Filter
		want   []string
	}{
		"all":            {footprint.Filter{}, []string{a, z}},
		"product":        {footprint.Filter{ProductIDs: []string{"urn:x-a:one"}}, []string{a}},
		"either":         {footprint.Filter{ProductIDs: []string{"urn:x-a:one", "urn:x-a:two"}}, []string{a, z}},
		"company":        {footprint.Filter{CompanyIDs: []string{"urn:x-co:1"}}, []string{z}},
		"geography":      {footprint.Filter{Geographies: []string{"fr"}}, []string{a}},
		"classification": {footprint.Filter{Classifications: []string{"urn:x-c:1"}}, []string{z}},
		"both":           {footprint.Filter{Classifications: []string{"urn:x-c:1"}, Geographies: []string{"fr"}}, nil},
		"active":         {footprint.Filter{Statuses: []string{"active"}}, []string{z}},
		"deprecated":     {footprint.Filter{Statuses: []string{"deprecated"}}, []string{a}},
		"no status":      {footprint.Filter{Statuses: []string{"bogus"}}, nil},
		"valid on":       {footprint.Filter{ValidOn: at("2025-01-01")}, []string{a}},
		"the last day":   {footprint.Filter{ValidOn: at("2028-01-01")}, []string{a}},
		"valid after":    {footprint.Filter{ValidAfter: at("2025-01-01")}, []string{z}},
		"valid before":   {footprint.Filter{ValidBefore: at("2028-01-01")}, []string{z}},
	} {
		var got []string
		w.read(func(tx ports.Repos) error {
			q := ports.PublicationQuery{Filter: c.filter}
			for p, err := range tx.Footprints.Each(w.ctx, w.ours.scope, q) {
				require.NoError(t, err)
				got = append(got, p.Document.ID)
			}
			n, err := tx.Footprints.Count(w.ctx, w.ours.scope, q)
			require.EqualValues(t, len(c.want), n, name)
			return err
		})
		require.Equal(t, c.want, got, name)
	}
	w.read(func(tx ports.Repos) error {
		got, err := tx.Footprints.ByUUID(w.ctx, w.ours.scope, z)
		require.NoError(t, err)
		require.Equal(t, second, got, "as it was stored")
		_, err = tx.Footprints.ByUUID(w.ctx, w.ours.scope, foreign.Document.ID)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		return nil
	})
	for _, statement := range []string{
		"UPDATE footprints SET document = '{}'", "DELETE FROM footprints", "UPDATE footprints SET deprecated_at = NULL WHERE deprecated_at IS NOT NULL",
	} {
		_, err := raw(t, w.address).Exec(statement)
		require.ErrorContains(t, err, "footprints never change", statement)
	}
	w.testKilledPublication()
}

// testKilledPublication checks that a publication is stored completely or not at all: what is shown, what is
// deprecated, what clients are told, and the events.
func (w *world) testKilledPublication() {
	client := w.newClient(w.ours, "https://mill.example.org/3/events")
	counts := func() (out [5]int) {
		for i, query := range []string{
			"footprints", "footprints WHERE deprecated_at IS NOT NULL", "pact_messages", "jobs WHERE kind = 'pact_messages'", "outbox WHERE type LIKE 'footprint_%'",
		} {
			require.NoError(w.t, raw(w.t, w.address).QueryRow("SELECT count(*) FROM "+query).Scan(&out[i]))
		}
		return out
	}
	before := counts()
	who := access.Principal{UserID: w.ours.user.ID, Name: w.ours.user.Name, CompanyID: w.ours.scope.Company()}
	using := func(store ports.Store) error {
		use := &exchange.Publishing{Deps: app.Deps{Store: store, Gate: app.NewGate(anyone{}, nil, nil), Clock: w.clock, IDs: identity.Random{}}}
		_, err := use.Publish(w.ctx, who, exchange.VersionOf{Assessment: w.ours.assessment.ID, Number: 1}, "s", func() (footprint.Terms, error) {
			return termsOf("urn:x-a:three"), nil
		})
		return err
	}
	require.ErrorIs(w.t, using(outboxless{w.Database}), errKilled)
	require.Equal(w.t, before, counts())
	require.NoError(w.t, using(w.Database))
	require.Equal(w.t, [5]int{before[0] + 1, before[1] + 1, before[2] + 1, before[3] + 1, before[4] + 1}, counts())
	w.read(func(tx ports.Repos) error {
		m, err := tx.FootprintMessages.Due(w.ctx, w.ours.scope, client.ID, w.clock.Now())
		require.Contains(w.t, m.Body, `"pfIds"`)
		return err
	})
}

// testPACTClients checks the credentials of clients, and what is exchanged with them.
func testPACTClients(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.newClient(w.ours, "https://a.example.org"), w.newClient(w.theirs, "")
	w.operate(func(tx ports.OperatorRepos) error {
		got, err := tx.FootprintClients.ByClientID(w.ctx, ours.ClientID)
		require.NoError(t, err)
		require.Equal(t, []any{ours.ID, w.ours.scope.Company(), ""}, []any{got.ID, got.CompanyID, got.RecipientSecret})
		for _, id := range []string{"", "nobody", "\x00"} {
			_, err = tx.FootprintClients.ByClientID(w.ctx, id)
			require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		}
		return nil
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.FootprintClients.Get(w.ctx, w.ours.scope, ours.ID)
		require.NoError(t, err)
		require.Equal(t, "of the mill", got.RecipientSecret)
		_, err = tx.FootprintClients.Get(w.ctx, w.ours.scope, theirs.ID)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		return nil
	})
	now := w.clock.Now()
	w.write(func(tx ports.Repos) error {
		in := footprint.Message{ClientID: ours.ID, Incoming: true, Source: "s", EventID: "e", EventType: "t", Body: "{}", CreatedAt: now, Delivery: webhook.Delivery{State: footprint.Taken}}
		require.NoError(t, tx.FootprintMessages.Insert(w.ctx, w.ours.scope, &in))
		for i := range 3 {
			out := footprint.Message{ClientID: ours.ID, Source: "s", EventID: fmt.Sprint(i), EventType: "t", Body: "{}", CreatedAt: now, Delivery: webhook.Delivery{State: webhook.Pending, NextTry: new(now.Add(time.Duration(i) * time.Hour))}}
			require.NoError(t, tx.FootprintMessages.Insert(w.ctx, w.ours.scope, &out))
		}
		return nil
	})
	w.write(func(tx ports.Repos) error {
		m := tx.FootprintMessages
		for _, c := range []struct {
			scope      access.Scope
			source, id string
			want       bool
		}{{w.ours.scope, "s", "e", true}, {w.ours.scope, "s", "0", false}, {w.ours.scope, "x", "e", false}, {w.theirs.scope, "s", "e", false}} {
			known, err := m.Known(w.ctx, c.scope, ours.ID, c.source, c.id)
			require.NoError(t, err)
			require.Equal(t, c.want, known, "%v", c)
		}
		n, err := m.Pending(w.ctx, w.ours.scope, ours.ID, 2)
		require.NoError(t, err)
		require.EqualValues(t, 2, n, "up to the bound")
		due, err := m.Due(w.ctx, w.ours.scope, ours.ID, now)
		require.NoError(t, err)
		require.Equal(t, "0", due.EventID)
		d := due.Delivery
		d.State, d.NextTry, d.Attempt, d.StatusCode, d.At = webhook.Delivered, nil, 1, 200, &now
		require.NoError(t, m.Tried(w.ctx, w.ours.scope, due.ID, d))
		_, err = m.Due(w.ctx, w.ours.scope, ours.ID, now)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		next, err := m.NextTry(w.ctx, w.ours.scope, ours.ID)
		require.NoError(t, err)
		require.WithinDuration(t, now.Add(time.Hour), *next, time.Minute)
		require.NoError(t, m.End(w.ctx, w.ours.scope, ours.ID, "The client was revoked."))
		next, err = m.NextTry(w.ctx, w.ours.scope, ours.ID)
		require.Nil(t, next)
		return err
	})
	w.operate(func(tx ports.OperatorRepos) error {
		n, err := tx.Remains.Messages(w.ctx, now.Add(time.Second), 10)
		require.EqualValues(t, 4, n)
		return err
	})
	w.write(func(tx ports.Repos) error {
		_, err := tx.FootprintClients.SoftDelete(w.ctx, w.ours.scope, []int64{ours.ID}, now)
		return err
	})
	err := w.Consult(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		_, err := tx.FootprintClients.ByID(ctx, ours.ID)
		return err
	})
	require.True(t, fault.Is(err, fault.NotFound), "a revoked client is none")
}
