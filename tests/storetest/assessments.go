package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/signing"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

var assessmentResource = resource[assessment.Assessment]{
	repo: func(tx ports.Repos) ports.Records[assessment.Assessment] { return tx.Assessments },
	make: func(w *world, e estate, _ int) assessment.Assessment { return w.newAssessment(e) },
	change: func(r *assessment.Assessment) {
		year, at := 2024, kept(begin.Add(time.Minute))
		r.Year = &year
		r.GrowingArea = map[string]any{"value": 12.5, "unit": "ha", "remark": []any{"ñ", 1e-7, nil, true}}
		r.AverageTemperature = map[string]any{}
		r.ClimateRegion, r.FarmCountry, r.DataQuality = "boreal_dry", "spain", "all_actual_data"
		r.Declarations = assessment.Declarations{"irrigation": assessment.DeclaredNone}
		r.Status, r.Completeness, r.Ready, r.CompletenessComputedAt = assessment.Submitted, 99.9, true, &at
		r.CalculationStatus, r.CalculationReason, r.SubmittedVersion, r.SubmittedAt = assessment.Failed, "why", 3, &at
		r.HasUnsubmittedChanges = true
	},
	base: func(r *assessment.Assessment) *record.Meta { return &r.Meta },
}

func (w *world) newAssessment(e estate) assessment.Assessment {
	return assessment.Assessment{
		Meta: w.meta(e), ResourceType: assessment.OfField, ResourceID: e.field.ID,
		Declarations: assessment.Declarations{}, Status: assessment.Draft,
	}
}

func rowsOf(values ...assessment.Values) []assessment.Row {
	out := make([]assessment.Row, len(values))
	for i, v := range values {
		out[i] = assessment.Row{Values: v}
	}
	return out
}

func testAssessmentSections(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, id := w.ours.scope, w.ours.assessment.ID
	sheet := func(scope access.Scope) (out assessment.Sheet) {
		w.read(func(tx ports.Repos) (err error) {
			out, err = tx.Assessments.Sheet(w.ctx, scope, id)
			return err
		})
		return out
	}
	require.Empty(t, sheet(scope))
	urea := assessment.Values{"product": "urea", "rate": map[string]any{"value": 180.25, "unit": "kg/ha"}, "notes": "Ñ \"q\""}
	many := rowsOf(urea, assessment.Values{"product": "can", "applied_area_pct": 0.0}, assessment.Values{})
	for range 450 { // more than one statement can insert
		many = append(many, assessment.Row{Values: assessment.Values{"product": "map"}})
	}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Assessments.ReplaceSection(w.ctx, scope, id, "crop", rowsOf(assessment.Values{"growing_cycles": 2.0})))
		return tx.Assessments.ReplaceSection(w.ctx, scope, id, "fertilizers", many)
	})
	stored := sheet(scope)
	require.Len(t, stored["crop"], 1)
	require.Len(t, stored["fertilizers"], len(many))
	seen := map[int64]bool{}
	for i, row := range stored["fertilizers"] {
		require.Equal(t, many[i].Values, row.Values, "rows come back as they went in, in their order")
		require.False(t, seen[row.ID])
		seen[row.ID] = true
	}

	// Reordered, one removed, one new: rows that carry their id keep it.
	old := stored["fertilizers"]
	next := []assessment.Row{old[2], {Values: assessment.Values{"product": "new"}}, old[0]}
	w.write(func(tx ports.Repos) error {
		return tx.Assessments.ReplaceSection(w.ctx, scope, id, "fertilizers", next)
	})
	got := sheet(scope)["fertilizers"]
	require.Equal(t, []int64{old[2].ID, old[0].ID}, []int64{got[0].ID, got[2].ID})
	require.Equal(t, next[1].Values, got[1].Values)
	require.False(t, seen[got[1].ID], "an id is not used again")
	require.Equal(t, stored["crop"], sheet(scope)["crop"], "the other sections stay")

	last := assessment.Row{Values: assessment.Values{"product": "last"}}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Assessments.AddRow(w.ctx, scope, id, "fertilizers", &last))
		require.NoError(t, tx.Assessments.SetRow(w.ctx, scope, id, "fertilizers", assessment.Row{ID: got[1].ID, Values: urea}))
		return tx.Assessments.RemoveRow(w.ctx, scope, id, "fertilizers", got[0].ID)
	})
	require.Equal(t, []assessment.Row{{ID: got[1].ID, Values: urea}, got[2], last}, sheet(scope)["fertilizers"])

	// Nobody else reads or writes them, and an item is not found under another section.
	for _, other := range []access.Scope{w.theirs.scope, access.SharedWith(w.theirs.scope.Company()), access.SharedWith(scope.Company()), access.Own(0), {}} {
		require.Empty(t, sheet(other))
		_ = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			require.Error(t, tx.Assessments.AddRow(ctx, other, id, "fertilizers", &assessment.Row{}))
			return nil
		})
		_ = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			require.True(t, fault.Is(tx.Assessments.SetRow(ctx, other, id, "fertilizers", last), fault.NotFound))
			require.True(t, fault.Is(tx.Assessments.RemoveRow(ctx, other, id, "fertilizers", last.ID), fault.NotFound))
			err := tx.Assessments.ReplaceSection(ctx, other, id, "fertilizers", rowsOf(urea))
			require.Error(t, err)
			return err
		})
	}
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.Assessments.SetRow(w.ctx, scope, id, "crop", last), fault.NotFound))
		require.True(t, fault.Is(tx.Assessments.RemoveRow(w.ctx, scope, w.theirs.assessment.ID, "fertilizers", last.ID), fault.NotFound))
		return tx.Assessments.ReplaceSection(w.ctx, scope, id, "crop", nil)
	})
	require.Len(t, sheet(scope)["fertilizers"], 3)
	require.Empty(t, sheet(scope)["crop"])
}

func testAssessmentStates(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, id := w.ours.scope, w.ours.assessment.ID
	stale := func() (out []int64) {
		w.operate(func(tx ports.OperatorRepos) error {
			found, err := tx.Assessments.Stale(w.ctx, 10)
			for _, r := range found {
				out = append(out, r.ID)
			}
			return err
		})
		return out
	}
	stateFor := func(scope access.Scope) (state assessment.State, ok bool) {
		w.read(func(tx ports.Repos) (err error) {
			state, ok, err = tx.Assessments.State(w.ctx, scope, id)
			return err
		})
		return state, ok
	}
	require.Equal(t, []int64{id, w.theirs.assessment.ID}, stale(), "never computed")
	_, ok := stateFor(scope)
	require.False(t, ok)

	state := assessment.State{Percentage: 66.6, Ready: true, Sections: []assessment.SectionState{
		{Section: "general", Applies: true, Status: assessment.Complete, Filled: 6, Required: 6},
		{Section: "fertilizers", Applies: true, Status: assessment.InProgress, Filled: 1, Required: 2,
			Missing: []assessment.Missing{{Field: "fertilizers[].rate", Path: "fertilizers[3].rate", Message: "Enter «rate»."}}},
		{Section: "rice"}, {Section: "irrigation", Applies: true, Declared: true, Status: assessment.Complete},
	}}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Assessments.SetState(w.ctx, scope, id, assessment.State{Percentage: 1}, w.clock.Now()))
		return tx.Assessments.SetState(w.ctx, scope, id, state, w.clock.Now())
	})
	got, ok := stateFor(scope)
	require.True(t, ok)
	require.Equal(t, state, got)
	require.Equal(t, []int64{w.theirs.assessment.ID}, stale())
	w.read(func(tx ports.Repos) error {
		r, err := tx.Assessments.Get(w.ctx, scope, id)
		require.Equal(t, 66.6, r.Completeness)
		require.True(t, r.Ready)
		require.Equal(t, kept(w.clock.Now()), *r.CompletenessComputedAt)
		require.Equal(t, w.ours.assessment.UpdatedAt, r.UpdatedAt, "what is derived is no change of the record")
		return err
	})
	for _, other := range []access.Scope{w.theirs.scope, access.SharedWith(w.theirs.scope.Company()), {}} {
		_, ok := stateFor(other)
		require.False(t, ok)
		err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.Assessments.SetState(ctx, other, id, assessment.State{}, w.clock.Now())
		})
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}

	w.clock.move(time.Second)
	w.write(func(tx ports.Repos) error {
		r, err := tx.Assessments.GetForUpdate(w.ctx, scope, id)
		require.NoError(t, err)
		r.UpdatedAt = w.clock.Now()
		return tx.Assessments.Update(w.ctx, scope, &r)
	})
	require.Equal(t, []int64{w.theirs.assessment.ID, id}, stale(), "written since, the longest waiting first")
	w.write(func(tx ports.Repos) error {
		_, err := tx.Assessments.SoftDelete(w.ctx, scope, []int64{id}, w.clock.Now())
		return err
	})
	require.Equal(t, []int64{w.theirs.assessment.ID}, stale(), "nobody asks what is deleted")
}

// testAssessmentSharing checks that an assessment is shared with its field, or with
// its farm, by a grant that includes assessments.
func testAssessmentSharing(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ofFarm := w.newAssessment(w.ours)
	ofFarm.ResourceType, ofFarm.ResourceID = assessment.OfFarm, w.ours.farm.ID
	version := ports.AssessmentVersion{AssessmentID: w.ours.assessment.ID, Number: 1, Digest: "d", Engine: "e", FactorSet: "f", GWPSet: "g"}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Assessments.Insert(w.ctx, w.ours.scope, []*assessment.Assessment{&ofFarm}))
		require.NoError(t, tx.AssessmentVersions.Insert(w.ctx, w.ours.scope, &version))
		return tx.Assessments.ReplaceSection(w.ctx, w.ours.scope, w.ours.assessment.ID, "soil", rowsOf(assessment.Values{"ph": 7.0}))
	})
	theirs := access.SharedWith(w.theirs.scope.Company())
	field, holding := w.ours.assessment.ID, ofFarm.ID
	for name, c := range map[string]struct {
		grant grant
		want  []int64
	}{
		"all":          {grant{target: "all"}, []int64{field, holding}},
		"farm":         {grant{target: "farm", farm: w.ours.farm.ID}, []int64{field, holding}},
		"field":        {grant{target: "field", field: w.ours.field.ID}, []int64{field}},
		"without slug": {grant{target: "all", slugs: views}, nil},
		"pending":      {grant{target: "all", status: "pending"}, nil},
	} {
		c.grant.from, c.grant.to = w.ours, w.theirs
		if c.grant.slugs == "" {
			c.grant.slugs = `["assessment.view"]`
		}
		if c.grant.status == "" {
			c.grant.status = "accepted"
		}
		id := w.share(c.grant)
		w.read(func(tx ports.Repos) error {
			require.Equal(t, c.want, idsOf(t, w, tx, theirs, assessmentResource), name)
			sheet, err := tx.Assessments.Sheet(w.ctx, theirs, field)
			require.Equal(t, c.want != nil, len(sheet["soil"]) == 1, name)
			n, err2 := tx.AssessmentVersions.Count(w.ctx, theirs, field)
			require.Equal(t, c.want != nil, n == 1, name)
			require.NoError(t, err2)
			return err
		})
		w.sql("DELETE FROM share_grants WHERE id = %d", id)
	}
	w.share(grant{from: w.ours, to: w.theirs, target: "all", slugs: `["assessment.view"]`, status: "accepted"})
	w.write(func(tx ports.Repos) error {
		_, err := tx.Fields.SoftDelete(w.ctx, w.ours.scope, []int64{w.ours.field.ID}, w.clock.Now())
		return err
	})
	w.read(func(tx ports.Repos) error {
		require.Equal(t, []int64{holding}, idsOf(t, w, tx, theirs, assessmentResource), "the field is gone")
		require.Equal(t, []int64{field, holding}, idsOf(t, w, tx, w.ours.scope, assessmentResource), "its owner keeps what was assessed")
		return nil
	})
}

func testAssessmentVersions(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, id := w.ours.scope, w.ours.assessment.ID
	first := ports.AssessmentVersion{
		AssessmentID: id, Number: 1, Digest: "abc", Snapshot: []byte(`{"b":1.0, "a":1e2}`), Entered: []byte(`{"general":{ "b":1.0}}`), EnteredDigest: "def",
		Completeness: assessment.State{Percentage: 99.5, Ready: true, Sections: []assessment.SectionState{{Section: "soil", Status: assessment.Complete}}},
		Engine:       "ipcc2019-tier1-ar6", EngineVersion: "1",
		FactorSet: "ipcc2019_ar6", FactorSetVersion: "1", FactorSetDigest: "x", GWPSet: "ar6", Report: []byte(`{"z": "ñ"}`),
		SubmittedAt: w.clock.Now(), SubmittedBy: &access.Named{ID: w.ours.user.ID, Name: w.ours.user.Name},
	}
	second := first
	second.Number, second.SubmittedBy = 2, nil
	refs := ports.EngineReferences{AssessmentID: id, Number: 1, Engine: "external", Reference: ports.EngineReference{Account: "r-1", Assessment: "r-2", Run: "r-3"}}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.AssessmentVersions.Insert(w.ctx, scope, &first))
		require.NoError(t, tx.AssessmentVersions.Insert(w.ctx, scope, &second))
		require.NoError(t, tx.EngineReferences.Put(w.ctx, scope, refs))
		again := refs
		again.Reference.Run = "other"
		return tx.EngineReferences.Put(w.ctx, scope, again)
	})
	w.operate(func(tx ports.OperatorRepos) error {
		got, err := tx.Assessments.EngineReferences(w.ctx, scope, id, 1)
		require.NoError(t, err)
		require.Equal(t, refs, got, "stored once")
		_, err = tx.Assessments.EngineReferences(w.ctx, w.theirs.scope, id, 1)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		return nil
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.AssessmentVersions.Get(w.ctx, scope, id, 1)
		require.NoError(t, err)
		require.Equal(t, first, got, "to the byte")
		list := collect(t, tx.AssessmentVersions.Each(w.ctx, scope, id, ports.Query{}))
		require.Len(t, list, 2)
		require.Equal(t, []int{2, 1}, []int{list[0].Number, list[1].Number})
		require.Nil(t, list[1].Report)
		require.Nil(t, list[1].Entered)
		require.Equal(t, first.EnteredDigest, list[1].EnteredDigest)
		require.Equal(t, first.SubmittedBy, list[1].SubmittedBy)
		require.Len(t, collect(t, tx.AssessmentVersions.Each(w.ctx, scope, id, ports.Query{Limit: 1, Offset: 1})), 1)
		_, err = tx.AssessmentVersions.Get(w.ctx, scope, id, 3)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		n, err := tx.AssessmentVersions.Count(w.ctx, w.theirs.scope, id)
		require.Zero(t, n)
		return err
	})
	refused := func(do func(ctx context.Context, tx ports.Repos) error, kind fault.Kind) {
		err := w.Write(w.ctx, do)
		require.True(t, fault.Is(err, kind), "%v", err)
	}
	refused(func(ctx context.Context, tx ports.Repos) error {
		twice := first
		return tx.AssessmentVersions.Insert(ctx, scope, &twice)
	}, fault.Conflict)
	refused(func(ctx context.Context, tx ports.Repos) error {
		stolen := first
		stolen.Number = 9
		return tx.AssessmentVersions.Insert(ctx, w.theirs.scope, &stolen)
	}, fault.NotFound)
	refused(func(ctx context.Context, tx ports.Repos) error {
		return tx.EngineReferences.Put(ctx, w.theirs.scope, refs)
	}, fault.NotFound)
	signature := ports.Signature{By: *first.SubmittedBy, At: w.clock.Now().Truncate(time.Microsecond), Statement: "read", Digest: first.SignedDigest(), Parts: len(signing.Parts)}
	w.write(func(tx ports.Repos) error { return tx.AssessmentVersions.Sign(w.ctx, scope, id, 1, signature) })
	w.read(func(tx ports.Repos) error {
		got, err := tx.AssessmentVersions.Get(w.ctx, scope, id, 1)
		require.Equal(t, []ports.Signature{signature}, got.Signatures)
		list := collect(t, tx.AssessmentVersions.Each(w.ctx, scope, id, ports.Query{}))
		require.Equal(t, got.Signatures, list[1].Signatures)
		require.Empty(t, list[0].Signatures)
		return err
	})
	_, err := raw(t, w.address).Exec("INSERT INTO assessment_signatures (company_id, assessment_id, number, digest, statement, signed_at, signed_by) SELECT company_id, assessment_id, 2, 'd', 's', signed_at, signed_by FROM assessment_signatures")
	require.NoError(t, err)
	w.read(func(tx ports.Repos) error {
		got, err := tx.AssessmentVersions.Get(w.ctx, scope, id, 2)
		require.Equal(t, 8, got.Signatures[0].Parts, "one from before the report was signed says so")
		return err
	})
	refused(func(ctx context.Context, tx ports.Repos) error {
		return tx.AssessmentVersions.Sign(ctx, scope, id, 1, signature)
	}, fault.Conflict)
	refused(func(ctx context.Context, tx ports.Repos) error {
		return tx.AssessmentVersions.Sign(ctx, scope, id, 3, signature)
	}, fault.NotFound)
	refused(func(ctx context.Context, tx ports.Repos) error {
		return tx.AssessmentVersions.Sign(ctx, w.theirs.scope, id, 2, signature)
	}, fault.NotFound)
	for _, statement := range []string{
		"UPDATE assessment_versions SET report = '{}'", "DELETE FROM assessment_versions",
		"UPDATE assessment_signatures SET statement = ''", "DELETE FROM assessment_signatures",
	} {
		_, err := raw(t, w.address).Exec(statement)
		require.Error(t, err, "what was submitted is never changed")
	}
}
