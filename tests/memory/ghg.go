package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

func (w *World) addGHG() {
	a := &assessments{
		table:  recordTable(w, "assessment", func(r *assessment.Assessment) *record.Meta { return &r.Meta }),
		sheets: map[int64]assessment.Sheet{},
	}
	v := &versions{kept: map[int64][]ports.AssessmentVersion{}}
	w.saves = append(w.saves, func() func() {
		sheets, rows, kept, references := maps.Clone(a.sheets), a.rows, maps.Clone(v.kept), slices.Clone(w.References)
		return func() { a.sheets, a.rows, v.kept, w.References = sheets, rows, kept, references }
	})
	w.repos.Assessments, w.repos.AssessmentVersions = a, v
	w.repos.EngineReferences, w.repos.EngineChoices, w.repos.Evidence = references{w}, builtIn{}, nothingAttached{}
}

type noAssessments struct{ ports.Assessments }

type assessments struct {
	noAssessments
	*table[assessment.Assessment]
	sheets map[int64]assessment.Sheet // replaced, never changed
	rows   int64
}

func (a *assessments) Sheet(ctx context.Context, scope access.Scope, id int64) (assessment.Sheet, error) {
	if _, err := a.Get(ctx, scope, id); err != nil {
		return assessment.Sheet{}, nil
	}
	return maps.Clone(a.sheets[id]), nil
}

func (a *assessments) ReplaceSection(ctx context.Context, scope access.Scope, id int64, section string, rows []assessment.Row) error {
	sheet, err := a.Sheet(ctx, scope, id)
	if err != nil {
		return err
	}
	rows = slices.Clone(rows)
	for i := range rows {
		if rows[i].ID == 0 {
			a.rows++
			rows[i].ID = a.rows
		}
	}
	if sheet == nil {
		sheet = assessment.Sheet{}
	}
	if sheet[section] = rows; len(rows) == 0 {
		delete(sheet, section)
	}
	a.sheets[id] = sheet
	return nil
}

func (a *assessments) SetState(ctx context.Context, scope access.Scope, id int64, state assessment.State, at time.Time) error {
	return a.set(ctx, scope, id, func(r *assessment.Assessment) {
		r.Completeness, r.Ready, r.CompletenessComputedAt = state.Percentage, state.Ready, &at
	})
}

func (a *assessments) SetCalculation(ctx context.Context, scope access.Scope, id int64, status assessment.CalculationStatus, reason string) error {
	return a.set(ctx, scope, id, func(r *assessment.Assessment) { r.CalculationStatus, r.CalculationReason = status, reason })
}

func (a *assessments) set(ctx context.Context, scope access.Scope, id int64, do func(*assessment.Assessment)) error {
	r, err := a.Get(ctx, scope, id)
	if err != nil {
		return err
	}
	do(&r)
	return a.Update(ctx, scope, &r)
}

type noVersions struct{ ports.AssessmentVersions }

// versions are the versions of each assessment, the oldest first.
type versions struct {
	noVersions
	kept map[int64][]ports.AssessmentVersion
}

func (v *versions) Insert(_ context.Context, _ access.Scope, version *ports.AssessmentVersion) error {
	have := v.kept[version.AssessmentID]
	if version.Number != len(have)+1 {
		return fmt.Errorf("memory: version %d comes after %d", version.Number, len(have))
	}
	version.ID = version.AssessmentID*1_000 + int64(version.Number)
	v.kept[version.AssessmentID] = append(slices.Clip(have), *version)
	return nil
}

func (v *versions) Get(_ context.Context, _ access.Scope, id int64, number int) (ports.AssessmentVersion, error) {
	if have := v.kept[id]; number >= 1 && number <= len(have) {
		return have[number-1], nil
	}
	return ports.AssessmentVersion{}, fault.Missing("version")
}

func (v *versions) Count(_ context.Context, _ access.Scope, id int64) (int64, error) {
	return int64(len(v.kept[id])), nil
}

func (v *versions) Each(_ context.Context, _ access.Scope, id int64, q ports.Query) iter.Seq2[ports.AssessmentVersion, error] {
	noFilters(q)
	return func(yield func(ports.AssessmentVersion, error) bool) {
		n := int64(0)
		for _, version := range slices.Backward(v.kept[id]) {
			if n++; q.Limit > 0 && n > q.Limit || !yield(version, nil) {
				return
			}
		}
	}
}

type references struct{ w *World }

func (r references) Put(_ context.Context, _ access.Scope, refs ports.EngineReferences) error {
	if slices.ContainsFunc(r.w.References, func(one ports.EngineReferences) bool {
		return one.AssessmentID == refs.AssessmentID && one.Number == refs.Number
	}) {
		return fmt.Errorf("memory: version %d of assessment %d has references already", refs.Number, refs.AssessmentID)
	}
	r.w.References = append(r.w.References, refs)
	return nil
}

type noChoices struct{ ports.EngineChoices }

// builtIn is the engine of companies that have chosen none.
type builtIn struct{ noChoices }

func (builtIn) Get(context.Context, access.Scope) (ports.EngineChoice, error) {
	return ports.EngineChoice{}, nil
}

type noEvidence struct{ ports.Evidence }

type nothingAttached struct{ noEvidence }

func (nothingAttached) Of(context.Context, access.Scope, int64) ([]evidence.File, error) {
	return nil, nil
}
func (nothingAttached) Hold(context.Context, access.Scope, int64, int) error { return nil }
