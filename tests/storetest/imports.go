package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

func testImports(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope, w.theirs.scope
	options := farm.ImportOptions{FarmID: w.ours.farm.ID, Mapping: farm.Mapping{"name": {Properties: []string{"name"}}, "external_id": {Properties: []string{"key"}, Separator: "-", Values: map[string]string{"a": "b"}, Default: "c", Param: "map"}}, Preview: true, Atomic: true, MakesFarms: true, Operator: true, KeyID: 7}
	record := farm.NewImport(options, w.ours.user, "imports/a", "application/zip", 20, kept(w.clock.Now()))
	w.write(func(tx ports.Repos) error { return tx.Imports.Insert(w.ctx, ours, &record) })
	require.Positive(t, record.ID)
	require.Equal(t, ours.Company(), record.CompanyID)
	get := func(scope access.Scope) (got farm.Import, err error) {
		w.read(func(tx ports.Repos) error { got, err = tx.Imports.Get(w.ctx, scope, record.ID); return nil })
		return got, err
	}
	got, err := get(ours)
	require.NoError(t, err)
	require.Equal(t, record, got)
	for _, scope := range []access.Scope{theirs, access.SharedWith(theirs.Company()), {}} {
		_, err := get(scope)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}

	bad := func(index int64, message string) farm.Judged {
		f := fault.Fields{}
		f.Add("boundary", message)
		return farm.Judged{Index: index, Verdict: batch.Fail, Name: "ä", ExternalID: "k", Errors: f}
	}
	w.clock.move(time.Minute)
	w.write(func(tx ports.Repos) error {
		locked, err := tx.Imports.GetForUpdate(w.ctx, ours, record.ID)
		require.NoError(t, err)
		failed := []farm.Judged{bad(3, "three"), bad(1, "one")}
		locked.Advance(failed, 0, kept(w.clock.Now()))
		require.NoError(t, tx.Imports.AddFailures(w.ctx, ours, record.ID, failed))
		require.NoError(t, tx.Imports.AddFailures(w.ctx, ours, record.ID, []farm.Judged{bad(1, "again")}), "kept already")
		record = locked
		return tx.Imports.Update(w.ctx, ours, locked)
	})
	got, err = get(ours)
	require.NoError(t, err)
	require.Equal(t, record, got)
	w.read(func(tx ports.Repos) error {
		kept, err := tx.Imports.Failures(w.ctx, ours, record.ID, 10)
		require.Equal(t, []farm.Judged{bad(1, "one"), bad(3, "three")}, kept)
		require.NoError(t, err)
		kept, err = tx.Imports.Failures(w.ctx, ours, record.ID, 1)
		require.Len(t, kept, 1)
		require.NoError(t, err)
		_, err = tx.Imports.Failures(w.ctx, theirs, record.ID, 10)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
	require.True(t, fault.Is(w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Imports.Update(ctx, theirs, record)
	}), fault.NotFound))
	require.True(t, fault.Is(w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Imports.AddFailures(ctx, theirs, record.ID, []farm.Judged{bad(7, "seven")})
	}), fault.NotFound))

	made := func(scope access.Scope) (out []corerecord.Ref, err error) {
		w.read(func(tx ports.Repos) error { out, err = tx.Imports.Made(w.ctx, scope, record.ID); return nil })
		return out, err
	}
	none, err := made(ours)
	require.NoError(t, err)
	require.Empty(t, none)
	for _, farms := range [][]corerecord.Ref{{{Name: "South"}, {Name: "Nörd"}}, {{ID: 7, Name: "South"}}, {{Name: "South"}}} {
		w.write(func(tx ports.Repos) error { return tx.Imports.AddMade(w.ctx, ours, record.ID, farms) })
	}
	kept, err := made(ours)
	require.NoError(t, err)
	require.Equal(t, []corerecord.Ref{{Name: "Nörd"}, {ID: 7, Name: "South"}}, kept, "once, with its id")
	for _, scope := range []access.Scope{theirs, access.SharedWith(ours.Company()), {}} {
		_, err := made(scope)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		require.True(t, fault.Is(w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.Imports.AddMade(ctx, scope, record.ID, kept)
		}), fault.NotFound))
	}
}

// Farms are listed as files can name them: live farms of the company.
func testFarmsAsCalled(t *testing.T, b Backend) {
	w := newWorld(t, b)
	second, gone := farm.Farm{Meta: w.meta(w.ours), Name: "Second", External: corerecord.External{ExternalID: "S-2"}}, farm.Farm{Meta: w.meta(w.ours), Name: "Gone"}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, w.ours.scope, []*farm.Farm{&second, &gone}) })
	w.write(func(tx ports.Repos) error {
		_, err := tx.Farms.SoftDelete(w.ctx, w.ours.scope, []int64{gone.ID}, w.clock.Now())
		return err
	})
	w.read(func(tx ports.Repos) error {
		all, err := tx.Imports.Farms(w.ctx, w.ours.scope)
		require.NoError(t, err)
		require.Equal(t, []farm.Called{{ID: w.ours.farm.ID, Name: w.ours.farm.Name, ExternalID: w.ours.farm.ExternalID}, {ID: second.ID, Name: "Second", ExternalID: "S-2"}}, all)
		for _, scope := range []access.Scope{access.SharedWith(w.ours.scope.Company()), {}} {
			all, err := tx.Imports.Farms(w.ctx, scope)
			require.NoError(t, err)
			require.Empty(t, all)
		}
		return nil
	})
}

// An import that was stored before mappings existed names the properties of two members.
func testImportsOfOldNames(t *testing.T, b Backend) {
	w := newWorld(t, b)
	_, err := raw(t, w.address).Exec(fmt.Sprintf(`INSERT INTO field_imports (id, company_id, created_by, created_at, updated_at, farm_id, name_property, external_id_property, preview,
atomic, object, media, status, reason, checking, total, done, created, updated, skipped, failed)
VALUES (9, %d, %d, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', %d, 'NAME', 'KEY', false, false, 'o', '', 'queued', '', false, 3, 0, 0, 0, 0, 0)`,
		w.ours.scope.Company(), w.ours.user.ID, w.ours.farm.ID))
	require.NoError(t, err)
	w.read(func(tx ports.Repos) error {
		got, err := tx.Imports.Get(w.ctx, w.ours.scope, 9)
		require.NoError(t, err)
		require.Equal(t, farm.Mapping{"name": {Properties: []string{"NAME"}}, "external_id": {Properties: []string{"KEY"}}}, got.Options.Mapping)
		return nil
	})
}

func testMatches(t *testing.T, b Backend) {
	w := newWorld(t, b)
	keyed := func(e estate, farmID int64, key string) *farm.Field {
		f := w.newField(e, "Field "+key)
		f.Farm.ID, f.ExternalID = farmID, key
		w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, e.scope, []*farm.Field{&f}) })
		return &f
	}
	other := farm.Farm{Meta: w.meta(w.ours), Name: "Other"}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, w.ours.scope, []*farm.Farm{&other}) })
	at := w.ours.farm.ID
	one, first, second := keyed(w.ours, at, "one"), keyed(w.ours, at, "two"), keyed(w.ours, at, "two")
	gone := keyed(w.ours, at, "gone")
	keyed(w.ours, other.ID, "one")
	keyed(w.theirs, w.theirs.farm.ID, "one")
	matches := func(tx ports.Repos, scope access.Scope) map[string][]int64 {
		found, err := tx.Imports.Matches(w.ctx, scope, []int64{at}, []string{"one", "two", "gone", "none", "", "a\x00b", "\xff"})
		require.NoError(t, err)
		out := map[string][]int64{}
		for key, fields := range found {
			for _, f := range fields {
				out[key] = append(out[key], f.ID)
			}
		}
		return out
	}
	w.write(func(tx ports.Repos) error {
		_, err := tx.Fields.SoftDelete(w.ctx, w.ours.scope, []int64{gone.ID}, w.clock.Now())
		require.NoError(t, err)
		require.Equal(t, map[string][]int64{"one": {one.ID}, "two": {first.ID, second.ID}}, matches(tx, w.ours.scope))
		return nil
	})
	w.read(func(tx ports.Repos) error {
		require.Equal(t, map[string][]int64{"one": {one.ID}, "two": {first.ID, second.ID}}, matches(tx, w.ours.scope))
		both, err := tx.Imports.Matches(w.ctx, w.ours.scope, []int64{at, other.ID}, []string{"one"})
		require.NoError(t, err)
		require.Len(t, both["one"], 2)
		none, err := tx.Imports.Matches(w.ctx, w.ours.scope, nil, []string{"one"})
		require.NoError(t, err)
		require.Empty(t, none)
		require.Empty(t, matches(tx, w.theirs.scope))
		require.Empty(t, matches(tx, access.SharedWith(w.theirs.scope.Company())))
		return nil
	})
	for _, use := range []func(func(ports.Repos) error){w.read, w.write} {
		use(func(tx ports.Repos) error {
			asked := []string{one.UUID, gone.UUID, "a\x00b", "none"}
			found, err := tx.Imports.MatchesByUUID(w.ctx, w.ours.scope, asked)
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.Equal(t, one.ID, found[one.UUID].ID)
			for _, scope := range []access.Scope{w.theirs.scope, access.SharedWith(w.theirs.scope.Company())} {
				found, err = tx.Imports.MatchesByUUID(w.ctx, scope, asked)
				require.NoError(t, err)
				require.Empty(t, found)
			}
			return nil
		})
	}
}
