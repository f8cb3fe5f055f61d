package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

func testAudit(t *testing.T, b Backend) {
	w := newWorld(t, b)
	who := access.Principal{UserID: w.ours.user.ID, Name: w.ours.user.Name, CompanyID: w.ours.scope.Company()}
	at := kept(w.clock.Now())
	entries := func(scope access.Scope, q ports.AuditQuery) (out []audit.Entry) {
		w.read(func(tx ports.Repos) error {
			out = collect(t, tx.Audit.Each(w.ctx, scope, q))
			q.Limit, q.Offset = 0, 0
			n, err := tx.Audit.Count(w.ctx, scope, q)
			require.GreaterOrEqual(t, n, int64(len(out)))
			return err
		})
		return out
	}
	change := []audit.Change{{Member: "name", Before: nil, After: "x"}, {Member: "irrigated", Before: false, After: 2.5}}
	first := audit.By(who, at).Of(audit.Create, "farm", 7, change)
	second := audit.Entry{CompanyID: who.CompanyID, At: at.Add(time.Second), Action: audit.Update, Resource: "field", RecordID: 8}
	w.write(func(tx ports.Repos) error { return tx.Audit.Add(w.ctx, first, second) })
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Audit.Add(w.ctx, audit.Entry{CompanyID: w.theirs.scope.Company(), At: at, Action: audit.Create, Resource: "api_key", RecordID: 1})
	})

	got := entries(w.ours.scope, ports.AuditQuery{})
	require.Len(t, got, 2)
	first.ID, second.ID = got[1].ID, got[0].ID
	require.Equal(t, []audit.Entry{second, first}, got, "newest first, as they were added")
	since, until := at.Add(time.Second), at
	for name, c := range map[string]struct {
		q    ports.AuditQuery
		want []audit.Entry
	}{
		"resource":      {ports.AuditQuery{Resource: "farm"}, got[1:]},
		"record":        {ports.AuditQuery{RecordID: 8}, got[:1]},
		"user":          {ports.AuditQuery{UserID: who.UserID}, got[1:]},
		"action":        {ports.AuditQuery{Action: audit.Update}, got[:1]},
		"since":         {ports.AuditQuery{Since: &since}, got[:1]},
		"until":         {ports.AuditQuery{Until: &until}, got[1:]},
		"no text":       {ports.AuditQuery{Resource: "\x00"}, nil},
		"second of two": {ports.AuditQuery{Limit: 1, Offset: 1}, got[1:]},
	} {
		require.Equal(t, c.want, entries(w.ours.scope, c.q), name)
	}
	require.Len(t, entries(w.theirs.scope, ports.AuditQuery{}), 1)
	require.Empty(t, entries(access.SharedWith(who.CompanyID), ports.AuditQuery{}))
	require.Empty(t, entries(access.Scope{}, ports.AuditQuery{}))

	for _, statement := range []string{"UPDATE audit_entries SET action = 'x'", "DELETE FROM audit_entries"} {
		_, err := raw(t, w.address).Exec(statement)
		require.Error(t, err, "the trail is append-only")
	}
	for _, bad := range []audit.Entry{{At: at, Action: audit.Create, Resource: "farm", RecordID: 1}, {CompanyID: 1, At: at, Action: audit.Create, Resource: "farm"}} {
		err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Audit.Add(ctx, bad) })
		require.True(t, fault.Is(err, fault.Internal))
	}
	require.Len(t, entries(w.ours.scope, ports.AuditQuery{}), 2)

	// What a transaction deletes is recorded once, the requested record with its members.
	w.write(func(tx ports.Repos) error {
		if _, err := tx.Cultivations.SoftDeleteOfFields(w.ctx, w.ours.scope, []int64{w.ours.field.ID}, at); err != nil {
			return err
		}
		if _, err := tx.Fields.SoftDelete(w.ctx, w.ours.scope, []int64{w.ours.field.ID}, at); err != nil {
			return err
		}
		by := audit.By(who, at).Of(audit.Delete, "field", w.ours.field.ID, change)
		if err := tx.Audit.AddCascade(w.ctx, by); err != nil {
			return err
		}
		return tx.Audit.AddCascade(w.ctx, by)
	})
	gone := entries(w.ours.scope, ports.AuditQuery{Action: audit.Delete})
	require.Len(t, gone, 2)
	require.Equal(t, []any{"field", w.ours.field.ID, change}, []any{gone[0].Resource, gone[0].RecordID, gone[0].Changes})
	require.Equal(t, []any{"cultivation", w.ours.cultivation.ID}, []any{gone[1].Resource, gone[1].RecordID})
	require.Empty(t, gone[1].Changes)
}
