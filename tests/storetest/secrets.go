package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/adapters/persistence/envelope"
	"tilth/app/operating"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/record"
	"tilth/core/stratification/link"
	"tilth/core/webhook"
	"tilth/ports"
)

// sealing opens the database of a world with secret keys.
func (w *world) sealing(keys string) *world {
	w.t.Helper()
	box, err := envelope.New(keys)
	require.NoError(w.t, err)
	other := *w
	other.Database, err = persistence.Open(w.ctx, w.address, persistence.Options{Clock: w.clock, Shared: w.clock, IDs: w.ids, Secrets: box})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { require.NoError(w.t, other.Close()) })
	return &other
}

// stored returns every value in which the database keeps a secret.
func (w *world) stored() (out [][]byte) {
	db := raw(w.t, w.address)
	for _, query := range []string{"SELECT seed FROM signing_keys", "SELECT secret FROM webhooks", "SELECT previous_secret FROM webhooks", "SELECT recipient_secret FROM pact_clients", "SELECT secret FROM plan_links", "SELECT body FROM replays", "SELECT content FROM certificate_entries"} {
		eachRow(w.t, db, query, func(rows *sql.Rows) {
			var value []byte
			require.NoError(w.t, rows.Scan(&value))
			if len(value) > 0 {
				out = append(out, value)
			}
		})
	}
	return out
}

// plain are the secrets that keepSecrets stores.
var plain = [][]byte{bytes.Repeat([]byte("s"), 32), []byte("whsec_one"), []byte("whsec_two"), []byte(`{"key":"tk_text"}`), []byte("a certificate with its key"), []byte("of the mill"), []byte("of the labels")}

// keepSecrets stores one secret of each kind; check reads them all.
func (w *world) keepSecrets() (hookID int64) {
	plan := w.plan()
	w.write(func(tx ports.Repos) error {
		now := w.clock.Now()
		hook := webhook.Webhook{Meta: record.Meta{CreatedAt: now, UpdatedAt: now}, URL: "https://x.example", Secret: string(plain[1]), PreviousSecret: string(plain[2])}
		if err := tx.Webhooks.Insert(w.ctx, w.ours.scope, []*webhook.Webhook{&hook}); err != nil {
			return err
		}
		hookID = hook.ID
		client := footprint.Client{Meta: record.Meta{CreatedAt: now, UpdatedAt: now}, Name: "Mill", ClientID: "mill", SecretHash: "x", Generation: 1, RecipientSecret: string(plain[5])}
		if err := tx.FootprintClients.Insert(w.ctx, w.ours.scope, []*footprint.Client{&client}); err != nil {
			return err
		}
		labels := link.New(link.Label, plan.ID, 1, string(plain[6]), now)
		if err := tx.PlanLinks.Insert(w.ctx, w.ours.scope, &labels); err != nil {
			return err
		}
		return tx.Replays.Put(w.ctx, w.ours.scope, ports.Replay{Key: "k/1", AnsweredAt: now, Answer: ports.Answer{Status: 201, Body: plain[3]}}, now)
	})
	require.NoError(w.t, w.Certificates().Put(w.ctx, "a/b c", plain[4]))
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Accounts.AddSigningKey(w.ctx, ports.SigningKey{ID: w.ids.UUID(), Seed: plain[0], CreatedAt: w.clock.Now()})
	})
	return hookID
}

func (w *world) check(hookID int64) (errs []error) {
	errs = append(errs, w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		keys, err := tx.Accounts.SigningKeys(ctx)
		if err == nil {
			require.Equal(w.t, plain[0], keys[0].Seed)
		}
		return err
	}), w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		hook, err := tx.Webhooks.Get(ctx, w.ours.scope, hookID)
		if err == nil {
			require.Equal(w.t, []string{string(plain[1]), string(plain[2])}, []string{hook.Secret, hook.PreviousSecret})
		}
		return err
	}), w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		for client, err := range tx.FootprintClients.Each(ctx, w.ours.scope, ports.Query{}) {
			if err != nil {
				return err
			}
			require.Equal(w.t, string(plain[5]), client.RecipientSecret)
		}
		return nil
	}), w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		for l, err := range tx.PlanLinks.Each(ctx, w.ours.scope, ports.Query{}) {
			if err != nil {
				return err
			}
			require.Equal(w.t, string(plain[6]), l.Secret)
		}
		return nil
	}), w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		found, _, err := tx.Replays.Get(ctx, w.ours.scope, "k/1")
		if err == nil {
			require.Equal(w.t, plain[3], found.Answer.Body)
		}
		return err
	}))
	content, err := w.Certificates().Get(w.ctx, "a/b c")
	if err == nil {
		require.Equal(w.t, plain[4], content)
	}
	return append(errs, err)
}

func (w *world) rotate() (int64, error) {
	op := operating.Operating{Store: w.Database, Clock: w.clock, IDs: w.ids}
	_, n, err := op.RotateSecrets(w.ctx)
	return n, err
}

func testSecrets(t *testing.T, b Backend) {
	w := newWorld(t, b)
	first, second := envelope.NewKey(), envelope.NewKey()
	hook := w.keepSecrets()
	require.ElementsMatch(t, plain, w.stored(), "without a key they are stored as they are")
	_, err := w.rotate()
	require.True(t, fault.Is(err, fault.Precondition), "%v", err)

	sealed := w.sealing(first)
	require.NoError(t, sealed.CheckSecrets(w.ctx))
	for _, err := range sealed.check(hook) {
		require.NoError(t, err, "what was stored before there was a key is readable")
	}
	count := func(w *world) (n int64) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			n, err = tx.Secrets.Waiting(w.ctx, 100)
			return err
		})
		return n
	}
	require.EqualValues(t, 7, count(sealed))
	n, err := sealed.rotate()
	require.NoError(t, err)
	require.EqualValues(t, 7, n)
	require.Zero(t, count(sealed))
	for _, value := range w.stored() {
		require.Equal(t, "sealed:1:", string(value[:9]), "%q", value)
	}
	for _, err := range sealed.check(hook) {
		require.NoError(t, err)
	}

	// Without the key, or with another: a fault at the start, and at each reading; no secret is made anew.
	for _, other := range []*world{w, w.sealing(second)} {
		require.True(t, fault.Is(other.CheckSecrets(w.ctx), fault.Precondition))
		for _, err := range other.check(hook) {
			require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		}
	}

	// A rotation that stops after one row continues later, and both keys together open everything meanwhile.
	both := w.sealing(second + "," + first)
	require.NoError(t, both.CheckSecrets(w.ctx))
	both.operate(func(tx ports.OperatorRepos) error {
		n, _, err := tx.Secrets.Reseal(w.ctx, ports.SecretPlace{Table: 2}, 1)
		require.EqualValues(t, 2, n)
		return err
	})
	for _, err := range both.check(hook) {
		require.NoError(t, err)
	}
	require.True(t, fault.Is(sealed.CheckSecrets(w.ctx), fault.Precondition), "the new key is needed from its first use on")
	n, err = both.rotate()
	require.NoError(t, err)
	require.EqualValues(t, 5, n)
	alone := w.sealing(second)
	require.NoError(t, alone.CheckSecrets(w.ctx), "the old key is not needed any more")
	for _, err := range alone.check(hook) {
		require.NoError(t, err)
	}

	// A secret does not open in the place of another.
	other := alone.keepHook()
	_, err = raw(t, w.address).Exec(fmt.Sprintf("UPDATE webhooks SET secret = (SELECT s.secret FROM webhooks AS s WHERE s.id = %d) WHERE id = %d", hook, other))
	require.NoError(t, err)
	err = alone.Read(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		_, err := tx.Webhooks.Get(ctx, w.ours.scope, other)
		return err
	})
	require.True(t, fault.Is(err, fault.Internal), "%v", err)
}

func (w *world) keepHook() (id int64) {
	w.write(func(tx ports.Repos) error {
		hook := webhook.Webhook{URL: "https://y.example", Secret: "whsec_three"}
		err := tx.Webhooks.Insert(w.ctx, w.ours.scope, []*webhook.Webhook{&hook})
		id = hook.ID
		return err
	})
	return id
}
