package storetest

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/assessment"
	corebatch "tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

func testManyAssessments(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, theirs := w.ours.scope, w.theirs.scope
	year := 2024
	made := make([]*assessment.Assessment, 5)
	entered := make([]ports.EnteredAssessment, len(made))
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Assessments.Alone(w.ctx, scope))
		require.True(t, fault.Is(tx.Assessments.Alone(w.ctx, access.SharedWith(scope.Company())), fault.NotFound))
		for i := range made {
			record := w.newAssessment(w.ours)
			record.Year, record.ClimateRegion = &year, "boreal_dry"
			made[i] = &record
		}
		require.NoError(t, tx.Assessments.Insert(w.ctx, scope, made))
		for i, record := range made {
			sheet := assessment.Sheet{"soil": rowsOf(assessment.Values{"ph": float64(i)})}
			for n := range 100 { // more than one statement can insert
				sheet["fertilizers"] = append(sheet["fertilizers"], assessment.Row{Values: assessment.Values{"notes": fmt.Sprint(i, n)}})
			}
			entered[i] = ports.EnteredAssessment{Assessment: *record, Sheet: sheet}
		}
		return tx.Assessments.Enter(w.ctx, scope, entered)
	})
	w.read(func(tx ports.Repos) error {
		var ids []int64
		q := ports.Query{Filters: []ports.Filter{{Name: "climate_region", Value: "boreal_dry"}}}
		for after := int64(0); ; {
			piece, err := tx.Assessments.IDsAfter(w.ctx, scope, q, after, 2)
			require.NoError(t, err)
			if len(piece) == 0 {
				break
			}
			ids, after = append(ids, piece...), piece[len(piece)-1]
		}
		require.Len(t, ids, len(made))
		whole, err := tx.Assessments.Whole(w.ctx, scope, append(ids, 999_999))
		require.NoError(t, err)
		require.Len(t, whole, len(made))
		for i, e := range whole {
			require.Equal(t, ids[i], e.ID, "in order")
			require.Equal(t, entered[i].Sheet, e.Sheet, "as entered, with the ids that were filled in")
			require.NotZero(t, e.Sheet["soil"][0].ID)
		}
		none, err := tx.Assessments.Whole(w.ctx, theirs, ids)
		require.NoError(t, err)
		require.Empty(t, none)

		found, err := tx.Assessments.OfYear(w.ctx, scope, assessment.OfField, year, []int64{w.ours.field.ID, w.theirs.field.ID})
		require.NoError(t, err)
		require.Equal(t, map[int64][]int64{w.ours.field.ID: ids}, found)
		found, err = tx.Assessments.OfYear(w.ctx, scope, assessment.OfFarm, year, []int64{w.ours.field.ID})
		require.NoError(t, err)
		require.Empty(t, found)
		return nil
	})
	resources := func(scope access.Scope, by ports.ResourceKey, keys ...string) (out map[string][]ports.Resource) {
		w.read(func(tx ports.Repos) (err error) {
			out, err = tx.Assessments.Resources(w.ctx, scope, assessment.OfField, by, keys)
			return err
		})
		return out
	}
	field := w.ours.field
	id := strconv.FormatInt(field.ID, 10)
	require.Equal(t, field.Name, resources(scope, ports.ByID, id, "x", "")[id][0].Name)
	require.Equal(t, field.ID, resources(scope, ports.ByName, field.Name)[field.Name][0].ID)
	require.Empty(t, resources(theirs, ports.ByID, id))
	require.Empty(t, resources(scope, ports.ByExternalID, "", "\x00"))

	w.write(func(tx ports.Repos) error {
		for number := 1; number <= 2; number++ {
			version := ports.AssessmentVersion{
				AssessmentID: made[0].ID, Number: number, Digest: "d", Snapshot: []byte("{}"), Engine: "e", FactorSet: "f", GWPSet: "g",
				Report: []byte(`{"z": 1}`), SubmittedAt: w.clock.Now(),
			}
			require.NoError(t, tx.AssessmentVersions.Insert(w.ctx, scope, &version))
		}
		made[0].SubmittedVersion = 2
		return tx.Assessments.Update(w.ctx, scope, made[0])
	})
	w.read(func(tx ports.Repos) error {
		newest, err := tx.Assessments.NewestVersions(w.ctx, scope, []int64{made[0].ID, made[1].ID})
		require.NoError(t, err)
		require.Len(t, newest, 1)
		require.Equal(t, 2, newest[made[0].ID].Number)
		require.NotEmpty(t, newest[made[0].ID].Report)
		newest, err = tx.Assessments.NewestVersions(w.ctx, theirs, []int64{made[0].ID})
		require.NoError(t, err)
		require.Empty(t, newest)
		return nil
	})
}

func testBatches(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, theirs := w.ours.scope, w.theirs.scope
	year := 2024
	options := assessment.BatchOptions{Atomic: true, FromYear: 2023, Selection: assessment.Selection{Year: &year, IDs: []int64{3, 4}}}
	batch := assessment.NewBatch(assessment.BatchImport, options, w.ours.user, "assessment-imports/a", 20, kept(w.clock.Now()))
	w.write(func(tx ports.Repos) error { return tx.Batches.Insert(w.ctx, scope, &batch) })
	get := func(scope access.Scope, kind corebatch.Kind) (got assessment.Batch, err error) {
		w.read(func(tx ports.Repos) error { got, err = tx.Batches.Get(w.ctx, scope, kind, batch.ID); return nil })
		return got, err
	}
	got, err := get(scope, assessment.BatchImport)
	require.NoError(t, err)
	require.Equal(t, batch, got)
	for _, other := range []access.Scope{theirs, access.SharedWith(theirs.Company()), {}} {
		_, err := get(other, assessment.BatchImport)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
	_, err = get(scope, assessment.BatchSubmit)
	require.True(t, fault.Is(err, fault.NotFound), "of another kind")

	w.clock.move(time.Minute)
	note := func(index int64) assessment.Judged {
		return assessment.Judged{Index: index, Outcome: corebatch.Fail, Year: &year, Problems: []assessment.Finding{{Code: "c", Path: "a[0].b", Message: "ä"}}}
	}
	w.write(func(tx ports.Repos) error {
		locked, err := tx.Batches.GetForUpdate(w.ctx, scope, assessment.BatchImport, batch.ID)
		require.NoError(t, err)
		locked.Advance([]assessment.Judged{note(3), note(1)}, 9, kept(w.clock.Now()))
		require.NoError(t, tx.Batches.AddNotes(w.ctx, scope, locked, []assessment.Judged{note(3), note(1)}))
		require.NoError(t, tx.Batches.AddNotes(w.ctx, scope, locked, []assessment.Judged{note(1)}), "kept already")
		require.True(t, fault.Is(tx.Batches.AddNotes(w.ctx, theirs, locked, []assessment.Judged{note(2)}), fault.NotFound))
		require.True(t, fault.Is(tx.Batches.Update(w.ctx, theirs, locked), fault.NotFound))
		batch = locked
		return tx.Batches.Update(w.ctx, scope, locked)
	})
	got, err = get(scope, assessment.BatchImport)
	require.NoError(t, err)
	require.Equal(t, batch, got)
	notes := func() (out []assessment.Judged) {
		w.read(func(tx ports.Repos) (err error) { out, err = tx.Batches.Notes(w.ctx, scope, batch, 10); return err })
		return out
	}
	require.Equal(t, []assessment.Judged{note(1), note(3)}, notes(), "in order")
	w.write(func(tx ports.Repos) error { return tx.Batches.DropNotes(w.ctx, scope, batch) })
	require.Empty(t, notes())
}
