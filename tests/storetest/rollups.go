package storetest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/core/verification"
	"tilth/ports"
)

// recomputed adds up the assessments of a company again, from what the repositories return.
func (w *world) recomputed(scope access.Scope) map[int]dashboard.Cells {
	w.t.Helper()
	var all []dashboard.Contribution
	w.read(func(tx ports.Repos) error {
		for _, a := range collect(w.t, tx.Assessments.Each(w.ctx, scope, ports.Query{})) {
			state, _, err := tx.Assessments.State(w.ctx, scope, a.ID)
			require.NoError(w.t, err)
			var figures dashboard.Figures
			if a.SubmittedVersion > 0 {
				version, err := tx.AssessmentVersions.Get(w.ctx, scope, a.ID, a.SubmittedVersion)
				require.NoError(w.t, err)
				var report report.Report
				require.NoError(w.t, json.Unmarshal(version.Report, &report))
				figures = dashboard.FiguresOf(a.SubmittedVersion, report)
			}
			var checked *verification.Record
			record, ok, err := tx.Verifications.Get(w.ctx, scope, a.ID)
			require.NoError(w.t, err)
			if ok {
				checked = &record
			}
			all = append(all, dashboard.FactsOf(&a, state.Sections, figures, checked).Contribution())
		}
		return nil
	})
	return sumsOf(all)
}

func (w *world) sums(scope access.Scope) (out map[int]dashboard.Cells) {
	w.t.Helper()
	w.read(func(tx ports.Repos) (err error) {
		out, err = tx.Rollups.Sums(w.ctx, scope)
		return err
	})
	return out
}

// writer writes assessments of one company at random: everything that changes the
// dashboard.
type writer struct {
	w     *world
	scope access.Scope
	e     estate
	dice  *rand.Rand
}

// step does one write; ids are those it may choose from. What another writer has
// deleted meanwhile is not found, which is not an error.
func (r writer) step(ctx context.Context, ids []int64) error {
	id := ids[r.dice.IntN(len(ids))]
	err := r.w.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := r.w.clock.Now()
		switch r.dice.IntN(9) {
		case 0:
			fresh := r.w.newAssessment(r.e)
			fresh.Year = r.year()
			return tx.Assessments.Insert(ctx, r.scope, []*assessment.Assessment{&fresh})
		case 1:
			_, err := tx.Assessments.SoftDelete(ctx, r.scope, []int64{id}, now)
			return err
		case 2:
			a, at, err := tx.Assessments.GetDeleted(ctx, r.scope, id, time.Time{})
			if err != nil {
				return err
			}
			return tx.Assessments.Undelete(ctx, r.scope, a.ID, at, now)
		}
		a, err := tx.Assessments.GetForUpdate(ctx, r.scope, id)
		if err != nil {
			return err
		}
		switch r.dice.IntN(6) {
		case 0, 1:
			return tx.Assessments.SetState(ctx, r.scope, id, r.state(), now)
		case 2, 3:
			return r.submit(ctx, tx, a)
		case 4:
			return r.check(ctx, tx, a)
		}
		a.Year, a.GrowingArea = r.year(), map[string]any{"value": float64(r.dice.IntN(1000)) / 7, "unit": "acre"}
		return tx.Assessments.Update(ctx, r.scope, &a)
	})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

func (r writer) year() *int {
	if y := r.dice.IntN(4); y > 0 {
		y += 2020
		return &y
	}
	return nil
}

func (r writer) state() assessment.State {
	stages := []assessment.SectionStatus{assessment.NotStarted, assessment.InProgress, assessment.Complete}
	s := assessment.State{Percentage: float64(r.dice.IntN(1001)) / 10, Ready: r.dice.IntN(2) == 0}
	for _, key := range []string{"general", "soil", "fertilizers", "rice"} {
		one := assessment.SectionState{Section: key, Applies: r.dice.IntN(4) > 0, Status: stages[r.dice.IntN(3)], Filled: r.dice.IntN(3), Required: 3}
		for i := range r.dice.IntN(3) {
			one.Missing = append(one.Missing, assessment.Missing{Field: key + "[].rate", Path: key + "[" + string(rune('0'+i)) + "].rate"})
		}
		s.Sections = append(s.Sections, one)
	}
	return s
}

func (r writer) submit(ctx context.Context, tx ports.Repos, a assessment.Assessment) error {
	t, ha := float64(r.dice.IntN(1e6))/1000/3, float64(1+r.dice.IntN(30))/3
	report := report.Report{
		Totals:        report.Totals{Emissions: t, Removals: t / 7},
		BySource:      []report.SourceLine{{Label: ghg.LabelDirect, CO2e: t / 3}, {Label: ghg.LabelUrea, CO2e: t / 3}, {Label: ghg.LabelDirect, CO2e: t / 3}},
		RemovalsBySrc: []report.SourceLine{{Label: ghg.RemovalSoil, CO2e: t / 7}}, FunctionalUnit: report.FunctionalUnit{AreaHa: &ha},
		Allocation: report.Allocation{Main: t / 2},
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return err
	}
	a.SubmittedVersion++
	a.Status = assessment.Submitted
	version := ports.AssessmentVersion{
		AssessmentID: a.ID, Number: a.SubmittedVersion, Digest: "d", Engine: "e", FactorSet: "f", GWPSet: "g", Snapshot: []byte("{}"), Report: raw, SubmittedAt: r.w.clock.Now(),
	}
	if err := tx.AssessmentVersions.Insert(ctx, r.scope, &version); err != nil {
		return err
	}
	return tx.Assessments.Update(ctx, r.scope, &a)
}

func (r writer) check(ctx context.Context, tx ports.Repos, a assessment.Assessment) error {
	now := r.w.clock.Now()
	record := verification.Record{AssessmentID: a.ID, StartedAt: now, UpdatedAt: now, Version: a.SubmittedVersion - r.dice.IntN(2)}
	record.Outcome = verification.Outcome{
		Status:     []verification.Status{verification.Pending, verification.Processing, verification.Verified, verification.Failed}[r.dice.IntN(4)],
		Confidence: float64(r.dice.IntN(1000)) / 999, CropType: []string{"soybeans", "maize"}[r.dice.IntN(2)], DecidedAt: &now,
	}
	return tx.Verifications.Put(ctx, r.scope, record)
}

// testDashboardEqualsRecomputation checks that the stored sums are those of the
// assessments after any sequence of writes, even if a transaction is rolled back.
func testDashboardEqualsRecomputation(t *testing.T, b Backend) {
	w := newWorld(t, b)
	r := writer{w, w.ours.scope, w.ours, rand.New(rand.NewPCG(7, 11))}
	ids := []int64{w.ours.assessment.ID}
	for i := range 150 {
		require.NoError(t, r.step(w.ctx, ids))
		for id := ids[len(ids)-1] + 1; len(ids) < 12; id++ { // some of theirs among them, which are not found
			ids = append(ids, id)
		}
		if i%15 == 0 {
			require.Equal(t, w.recomputed(w.ours.scope), w.sums(w.ours.scope), "after write %d", i)
		}
	}
	want := w.recomputed(w.ours.scope)
	require.Greater(t, len(want), 2, "the writes made something of several years")
	require.Equal(t, want, w.sums(w.ours.scope))

	// What is rolled back adds nothing.
	_ = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		fresh := w.newAssessment(w.ours)
		require.NoError(t, tx.Assessments.Insert(ctx, w.ours.scope, []*assessment.Assessment{&fresh}))
		return context.Canceled
	})
	require.Equal(t, want, w.sums(w.ours.scope))

	// Nobody else's are among them, and nobody else sees them.
	require.Equal(t, w.recomputed(w.theirs.scope), w.sums(w.theirs.scope))
	for _, other := range []access.Scope{access.SharedWith(w.theirs.scope.Company()), access.SharedWith(w.ours.scope.Company()), {}} {
		require.Empty(t, w.sums(other))
	}
}

// testDashboardWriters checks the same with concurrent writers of one company.
func testDashboardWriters(t *testing.T, b Backend) {
	w := newWorld(t, b)
	var made []*assessment.Assessment
	var ids []int64
	for range 24 {
		a := w.newAssessment(w.ours)
		made = append(made, &a)
	}
	w.write(func(tx ports.Repos) error { return tx.Assessments.Insert(w.ctx, w.ours.scope, made) })
	for _, a := range made {
		ids = append(ids, a.ID)
	}
	var wg sync.WaitGroup
	failures := make(chan error, 8*40)
	for n := range 8 {
		wg.Go(func() {
			r := writer{w, w.ours.scope, w.ours, rand.New(rand.NewPCG(uint64(n), 3))}
			for range 40 {
				failures <- r.step(w.ctx, ids)
			}
		})
	}
	wg.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, w.recomputed(w.ours.scope), w.sums(w.ours.scope))
}

// testDashboardLocks checks that a transaction under way does not block other writers of its
// company: sums are locked only for the commit.
func testDashboardLocks(t *testing.T, b Backend) {
	w := newWorld(t, b)
	if strings.HasPrefix(w.address, "sqlite:") {
		t.Skip("SQLite has one writer, whatever it writes")
	}
	var made []*assessment.Assessment
	for range 17 { // two of each stripe
		a := w.newAssessment(w.ours)
		made = append(made, &a)
	}
	w.write(func(tx ports.Repos) error { return tx.Assessments.Insert(w.ctx, w.ours.scope, made) })
	r := writer{w, w.ours.scope, w.ours, rand.New(rand.NewPCG(5, 5))}
	complete := func(ctx context.Context, tx ports.Repos, id int64) error {
		if _, err := tx.Assessments.GetForUpdate(ctx, w.ours.scope, id); err != nil {
			return err
		}
		return tx.Assessments.SetState(ctx, w.ours.scope, id, r.state(), w.clock.Now())
	}
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Minute)
	defer cancel()
	require.NoError(t, w.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if err := complete(ctx, tx, made[0].ID); err != nil {
			return err
		}
		for _, a := range made[1:] {
			if err := w.Write(ctx, func(ctx context.Context, tx ports.Repos) error { return complete(ctx, tx, a.ID) }); err != nil {
				return err
			}
		}
		return nil
	}))
	require.Equal(t, w.recomputed(w.ours.scope), w.sums(w.ours.scope))
}

// testVerifiedAssessments checks their order, their bound and their years.
func testVerifiedAssessments(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	r := writer{w, scope, w.ours, rand.New(rand.NewPCG(1, 1))}
	var ids []int64
	for i := range 4 {
		w.clock.move(time.Minute)
		w.write(func(tx ports.Repos) error {
			a := w.newAssessment(w.ours)
			year := 2023 + i%2
			a.Year = &year
			require.NoError(t, tx.Assessments.Insert(w.ctx, scope, []*assessment.Assessment{&a}))
			ids = append(ids, a.ID)
			require.NoError(t, r.submit(w.ctx, tx, a))
			now := w.clock.Now()
			status := verification.Verified
			if i == 3 {
				status = verification.Failed
			}
			return tx.Verifications.Put(w.ctx, scope, verification.Record{
				AssessmentID: a.ID, Version: 1, StartedAt: now, UpdatedAt: now,
				Outcome: verification.Outcome{Status: status, Confidence: 0.5, CropType: "soybeans", DecidedAt: &now},
			})
		})
	}
	verified := func(scope access.Scope, year *int, limit int) (out []int64) {
		w.read(func(tx ports.Repos) error {
			found, err := tx.Rollups.Verified(w.ctx, scope, year, limit)
			for _, v := range found {
				require.Equal(t, "soybeans", v.CropType)
				out = append(out, v.AssessmentID)
			}
			return err
		})
		return out
	}
	require.Equal(t, []int64{ids[2], ids[1], ids[0]}, verified(scope, nil, 100), "the newest first, without the failed one")
	require.Equal(t, []int64{ids[2]}, verified(scope, nil, 1))
	require.Empty(t, verified(scope, nil, 0))
	year := 2023
	require.Equal(t, []int64{ids[2], ids[0]}, verified(scope, &year, 100))
	require.Empty(t, verified(w.theirs.scope, nil, 100))

	// A second submission waits for a check of its own, and a deleted assessment is not listed.
	w.write(func(tx ports.Repos) error {
		a, err := tx.Assessments.GetForUpdate(w.ctx, scope, ids[2])
		require.NoError(t, err)
		require.NoError(t, r.submit(w.ctx, tx, a))
		_, err = tx.Assessments.SoftDelete(w.ctx, scope, []int64{ids[0]}, w.clock.Now())
		return err
	})
	require.Equal(t, []int64{ids[1]}, verified(scope, nil, 100))
}

// sumsOf adds up contributions, by year: what the kept sums must be.
func sumsOf(all []dashboard.Contribution) map[int]dashboard.Cells {
	out := map[int]dashboard.Cells{}
	for _, c := range dashboard.Changes(nil, all) {
		if out[c.Year] == nil {
			out[c.Year] = dashboard.Cells{}
		}
		out[c.Year][c.Cell] = c.By
	}
	return out
}
