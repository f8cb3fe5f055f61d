package batches_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app"
	"tilth/app/batches"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

type options batch.Mode

func (o options) Mode() batch.Mode { return batch.Mode(o) }

type word string

func (w word) Judgement() (batch.Outcome, fault.Fields) { return batch.Outcome(w), nil }

type numbered = batch.Batch[options, word]

// world is a store of one batch, whose transactions are rolled back when they fail.
type world struct {
	ports.Store
	ports.IDs
	ports.JobWriter
	ports.Objects
	now     numbered
	stored  int // number of stored pieces
	broken  error
	rest    []word
	ended   bool
	removed string
}

func (w *world) Now() time.Time  { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
func (w *world) Jitter() float64 { return 0 }

func (w *world) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	now, stored := w.now, w.stored
	err := do(ctx, ports.Repos{Jobs: w})
	if err != nil {
		w.now, w.stored = now, stored
	}
	return err
}

func (w *world) Hold(context.Context, ports.Job) error { return nil }
func (w *world) Finish(context.Context, ports.Job) error {
	w.ended = true
	return nil
}

func (w *world) Fail(context.Context, ports.Job, ports.FailedJob) error {
	w.ended = true
	return nil
}

func (w *world) Open(context.Context, string) (ports.Object, error) {
	return file{bytes.NewReader(nil)}, nil
}
func (w *world) Remove(_ context.Context, name string) error {
	w.removed = name
	return nil
}

type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

type kind struct{ *world }

func (k kind) Lock(context.Context, ports.Repos, access.Scope, int64) (numbered, error) {
	return k.now, nil
}
func (k kind) Update(_ context.Context, _ ports.Repos, _ access.Scope, b numbered) error {
	k.now = b
	return nil
}
func (k kind) Keep(context.Context, ports.Repos, access.Scope, numbered, []word) error { return nil }
func (k kind) Resume(context.Context, task.Run[ports.Repos], *numbered) error          { return nil }
func (k kind) Pieces(b numbered, _ ports.Object) batches.Pieces[word] {
	return &pieces{world: k.world, at: int(b.Done) - 1}
}

// pieces returns one piece per word.
type pieces struct {
	*world
	at int
}

func (p *pieces) Next(context.Context) (bool, error) { p.at++; return p.at < len(p.rest), nil }
func (p *pieces) Settle(context.Context, ports.Repos) ([]word, error) {
	p.stored++
	if p.rest[p.at] == "broken" {
		return nil, p.broken
	}
	return p.rest[p.at : p.at+1], nil
}
func (p *pieces) After() int64 { return 0 }
func (p *pieces) Alone() bool  { return false }
func (p *pieces) Close()       {}

func run(t *testing.T, mode options, broken error, words ...word) (*world, error) {
	t.Helper()
	w := &world{broken: broken, rest: words}
	w.now = batch.New[options, word](mode, record.Ref{ID: 1}, int64(len(words)), w.Now())
	w.now.Object = "folder/file"
	return w, w.run()
}

func (w *world) run() error {
	worker := batches.Worker{Deps: app.Deps{Store: w, Clock: w, IDs: w}, Objects: w, Log: slog.New(slog.DiscardHandler)}
	return batches.Run(context.Background(), worker, kind{w}, ports.Job{ID: 1, CompanyID: 1, Attempt: 1})
}

func TestABatchIsWorkedThroughAndRemovesItsFile(t *testing.T) {
	w, err := run(t, options{}, nil, "create", "skip", "create")
	require.NoError(t, err)
	require.Equal(t, batch.Completed, w.now.Status)
	require.Equal(t, map[batch.Outcome]int64{batch.Create: 2, batch.Skip: 1}, w.now.Tally)
	require.Equal(t, 3, w.stored)
	require.True(t, w.ended)
	require.Equal(t, "folder/file", w.removed)
}

func TestAnAtomicBatchStoresAllOrNothing(t *testing.T) {
	w, err := run(t, options{Atomic: true}, nil, "create", "fail")
	require.NoError(t, err)
	require.Equal(t, batch.Failed, w.now.Status)
	require.Zero(t, w.stored)
	w, err = run(t, options{Atomic: true}, nil, "create", "skip")
	require.NoError(t, err)
	require.Equal(t, batch.Completed, w.now.Status)
	require.Equal(t, 2, w.stored, "the second pass stores")
}

func TestAPreviewStoresNothing(t *testing.T) {
	w, err := run(t, options{Preview: true}, nil, "create", "fail")
	require.NoError(t, err)
	require.Equal(t, batch.Completed, w.now.Status)
	require.Zero(t, w.stored)
}

func TestABrokenPieceIsTakenBack(t *testing.T) {
	w, err := run(t, options{}, errors.New("no answer"), "create", "broken", "create")
	require.Error(t, err, "the job is handed out again")
	require.EqualValues(t, 1, w.now.Done)
	require.Equal(t, 1, w.stored)
	require.Empty(t, w.removed)
	w.rest[1] = "skip"
	require.NoError(t, w.run())
	require.Equal(t, batch.Completed, w.now.Status)
	require.Equal(t, 3, w.stored, "the first is not stored again")

	w, err = run(t, options{}, fault.New(fault.NotFound, "not_found", "No farm."), "create", "broken")
	require.NoError(t, err)
	require.Equal(t, batch.Failed, w.now.Status)
	require.Contains(t, w.now.Reason, "1 of 2 were done")
	require.Equal(t, 1, w.stored)
	require.True(t, w.ended)
	require.Equal(t, "folder/file", w.removed)
}
