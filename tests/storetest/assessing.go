package storetest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/adapters/identity"
	"tilth/app"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/ports"
)

// anyone may do everything.
type anyone struct{}

func (anyone) Allowed(context.Context, access.Principal, access.Slug) (bool, error) { return true, nil }

// queueless is a store whose queue accepts no jobs.
type queueless struct{ ports.Store }

func (q queueless) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return q.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		tx.Jobs = fullQueue{tx.Jobs}
		return do(ctx, tx)
	})
}

type fullQueue struct{ ports.JobWriter }

func (fullQueue) TryEnqueue(context.Context, ...ports.Job) error {
	return errors.New("the queue is full")
}

func (w *world) assessing(store ports.Store, log *slog.Logger) *ghgapp.Assessments {
	w.t.Helper()
	mapping, err := engine.Mapping()
	require.NoError(w.t, err)
	return &ghgapp.Assessments{
		Deps: app.Deps{Store: store, Gate: app.NewGate(anyone{}, nil, nil), Clock: w.clock, IDs: identity.Random{}}, Table: assessment.NewTable(mapping), Engines: engine.NewRegistry(), Log: log,
	}
}

// testCompletion checks that the completeness of every assessment is finally computed, for
// the current version, whatever happens in between.
func testCompletion(t *testing.T, b Backend) {
	w := newWorld(t, b)
	log := &bytes.Buffer{}
	broken, use := w.assessing(queueless{w.Database}, slog.New(slog.NewTextHandler(log, nil))), w.assessing(w.Database, slog.New(slog.DiscardHandler))
	who := access.Principal{UserID: w.ours.user.ID, Name: w.ours.user.Name, CompanyID: w.ours.scope.Company()}
	look := func(id int64) assessment.Assessment {
		got, err := use.Retrieve(w.ctx, who, false, id)
		require.NoError(t, err)
		return got.Assessment
	}
	claim := func(kind string, n int) []ports.Job {
		jobs := w.claim(10)
		require.Len(t, jobs, n)
		for _, j := range jobs {
			require.Equal(t, kind, j.Kind)
		}
		return jobs
	}
	edit := func(id int64, year int) {
		w.clock.move(time.Second)
		_, err := use.Update(w.ctx, who, id, func(current ghgapp.Whole) (ghgapp.AssessmentDraft, error) {
			current.Year = &year
			return ghgapp.AssessmentDraft{Record: current.Assessment}, nil
		})
		require.NoError(t, err)
	}
	general := func(id int64) int {
		_, state, err := use.Completeness(w.ctx, who, false, id)
		require.NoError(t, err)
		return state.Sections[0].Filled
	}

	// A failure to queue the job is logged, and what was written is stored.
	made, err := broken.Create(w.ctx, who, ghgapp.AssessmentDraft{
		Record:   assessment.Assessment{ResourceType: assessment.OfField, ResourceID: w.ours.field.ID},
		Sections: map[string]any{"soil": map[string]any{"soil_class": "sandy"}},
	})
	require.NoError(t, err)
	require.Contains(t, log.String(), "the queue is full")
	require.Len(t, made.Sheet["soil"], 1)
	require.Nil(t, look(made.ID).CompletenessComputedAt)
	require.Empty(t, w.claim(10))

	// The sweep finds it, and those of others that were never computed.
	asked, err := use.Sweep(w.ctx)
	require.NoError(t, err)
	require.EqualValues(t, 3, asked)
	for _, job := range claim(ghgapp.CompletenessJob, 3) {
		require.NoError(t, use.Run(w.ctx, job))
	}
	require.Equal(t, kept(w.clock.Now()), *look(made.ID).CompletenessComputedAt)
	require.Positive(t, look(made.ID).Completeness)
	w.clock.move(time.Minute)
	asked, err = use.Sweep(w.ctx)
	require.NoError(t, err)
	require.Zero(t, asked, "nothing is left")
	require.Empty(t, w.claim(10))

	// A write while the job is running is included in it; one after it leaves a job of its own.
	edit(made.ID, 2024)
	job := claim(ghgapp.CompletenessJob, 1)[0]
	edit(made.ID, 2023)
	require.NoError(t, use.Run(w.ctx, job))
	require.Equal(t, 1, general(made.ID))
	require.False(t, look(made.ID).CompletenessComputedAt.Before(look(made.ID).UpdatedAt))
	require.Empty(t, w.claim(10))
	edit(made.ID, 2022)
	job = claim(ghgapp.CompletenessJob, 1)[0]

	// Computed on request and written again at the same moment: the state is not taken as
	// that of the later version.
	_, _, err = use.Compute(w.ctx, who, made.ID)
	require.NoError(t, err)
	at := *look(made.ID).CompletenessComputedAt
	w.clock.move(-time.Second)
	edit(made.ID, 2020)
	require.True(t, look(made.ID).UpdatedAt.After(at))

	// A worker that lost its lease stores nothing.
	late := job
	late.Lease = "gone"
	before := look(made.ID)
	lost(t, use.Run(w.ctx, late))
	require.Equal(t, before, look(made.ID))

	// A clock that was set back does not make the state older than the version that it describes.
	w.clock.move(-time.Hour)
	require.NoError(t, use.Run(w.ctx, job))
	require.Equal(t, look(made.ID).UpdatedAt, *look(made.ID).CompletenessComputedAt)
	w.clock.move(2 * time.Hour)

	// A deleted assessment ends its job.
	edit(made.ID, 2021)
	w.clock.move(time.Minute)
	require.NoError(t, use.Delete(w.ctx, who, []int64{made.ID}, func(ghgapp.Whole) error { return nil }))
	for _, job := range w.claim(10) {
		if job.Kind == ghgapp.CompletenessJob {
			require.NoError(t, use.Run(w.ctx, job))
		}
	}
	require.Empty(t, w.claim(10))
}
