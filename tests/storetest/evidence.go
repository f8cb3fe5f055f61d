package storetest

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/adapters/objects"
	"tilth/app"
	ghgapp "tilth/app/ghg"
	evidenceapp "tilth/app/ghg/evidence"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/attachment"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// testEvidence takes files through their lives: begun, attached, held, removed, loose, forgotten.
func testEvidence(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs, id := w.ours.scope, w.theirs.scope, w.ours.assessment.ID
	now := w.clock.Now().Truncate(time.Microsecond)
	begin := func(object string) evidence.File {
		file := evidence.File{File: attachment.File{Name: "invoice", Object: object, At: now, By: record.Ref{ID: w.ours.user.ID, Name: w.ours.user.Name}}}
		w.write(func(tx ports.Repos) error { return tx.Evidence.Begin(w.ctx, ours, id, &file) })
		return file
	}
	attach := func(file *evidence.File, sum string) error {
		file.Name, file.Media, file.Size, file.SHA256, file.Note = "invoice.pdf", "application/pdf", 12, sum, "Ñ"
		file.About = evidence.About{Section: "fertilizers", ItemID: 7, Field: "rate"}
		return w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Evidence.Attach(ctx, ours, id, *file, now) })
	}
	of := func(scope access.Scope) (out []evidence.File) {
		w.read(func(tx ports.Repos) (err error) {
			out, err = tx.Evidence.Of(w.ctx, scope, id)
			return err
		})
		return out
	}
	missing := func(do func(ctx context.Context, tx ports.Repos) error) {
		t.Helper()
		err := w.Write(w.ctx, do)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
	loose := func(before time.Time) (out []attachment.File) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			out, err = tx.Evidence.Loose(w.ctx, before, 10)
			return err
		})
		return out
	}

	first, second, late := begin("evidence/1"), begin("evidence/2"), begin("evidence/3")
	require.Empty(t, of(ours), "bytes may still be on their way")
	missing(func(ctx context.Context, tx ports.Repos) error {
		_, err := tx.Evidence.Get(ctx, ours, id, first.ID)
		return err
	})
	require.NoError(t, attach(&first, "aa"))
	require.NoError(t, attach(&second, "bb"))
	twice := first
	require.True(t, fault.Is(attach(&twice, "cc"), fault.NotFound), "attached once")
	require.True(t, fault.Is(attach(&late, "aa"), fault.Conflict), "the database has the last word on one content")
	require.Equal(t, []evidence.File{first, second}, of(ours))
	require.Empty(t, of(theirs))
	for _, do := range []func(ctx context.Context, tx ports.Repos) error{
		func(ctx context.Context, tx ports.Repos) error {
			return tx.Evidence.Begin(ctx, theirs, id, &evidence.File{File: attachment.File{Object: "x", At: now}})
		},
		func(ctx context.Context, tx ports.Repos) error { return tx.Evidence.Attach(ctx, theirs, id, late, now) },
		func(ctx context.Context, tx ports.Repos) error {
			return tx.Evidence.Remove(ctx, theirs, id, first.ID, now)
		},
		func(ctx context.Context, tx ports.Repos) error {
			_, err := tx.Evidence.Get(ctx, theirs, id, first.ID)
			return err
		},
		func(ctx context.Context, tx ports.Repos) error {
			return tx.Evidence.Remove(ctx, ours, id, late.ID, now)
		},
	} {
		missing(do)
	}

	// A version holds its files; a file that it does not hold is removed.
	version := ports.AssessmentVersion{AssessmentID: id, Number: 1, Digest: "d", Engine: "e", FactorSet: "f", GWPSet: "g", Evidence: []byte(`[{"id": 1}]`), EvidenceDigest: "x"}
	third := begin("evidence/4")
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.AssessmentVersions.Insert(w.ctx, ours, &version))
		require.NoError(t, tx.Evidence.Hold(w.ctx, ours, id, 1))
		return nil
	})
	require.NoError(t, attach(&third, "dd"))
	w.read(func(tx ports.Repos) error {
		got, err := tx.AssessmentVersions.Get(w.ctx, ours, id, 1)
		require.Equal(t, []string{`[{"id": 1}]`, "x"}, []string{string(got.Evidence), got.EvidenceDigest})
		list := collect(t, tx.AssessmentVersions.Each(w.ctx, ours, id, ports.Query{}))
		require.Equal(t, []string{"", "x"}, []string{string(list[0].Evidence), list[0].EvidenceDigest})
		return err
	})
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Evidence.Remove(w.ctx, ours, id, first.ID, now))
		return tx.Evidence.Remove(w.ctx, ours, id, third.ID, now)
	})
	missing(func(ctx context.Context, tx ports.Repos) error {
		return tx.Evidence.Remove(ctx, ours, id, third.ID, now)
	})
	require.Equal(t, []evidence.File{second}, of(ours))
	w.read(func(tx ports.Repos) error {
		got, err := tx.Evidence.Get(w.ctx, ours, id, first.ID)
		require.Equal(t, first, got, "the version holds it")
		held, err2 := tx.Evidence.Held(w.ctx, ours, id, 1)
		require.NoError(t, err2)
		require.Equal(t, []evidence.File{first, second}, held)
		held, err2 = tx.Evidence.Held(w.ctx, theirs, id, 1)
		require.NoError(t, err2)
		require.Empty(t, held)
		_, gone := tx.Evidence.Get(w.ctx, ours, id, third.ID)
		require.True(t, fault.Is(gone, fault.NotFound), "%v", gone)
		return err
	})
	require.Empty(t, loose(now), "removed before, not at")
	lost := loose(now.Add(time.Second))
	require.Len(t, lost, 1, "that of the version is not loose")
	require.Equal(t, "evidence/4", lost[0].Object)

	// An upload that takes too long is given up, and can no longer be attached.
	w.operate(func(tx ports.OperatorRepos) error {
		n, err := tx.Evidence.GiveUp(w.ctx, now, now, 10)
		require.Zero(t, n)
		require.NoError(t, err)
		n, err = tx.Evidence.GiveUp(w.ctx, now.Add(time.Second), now, 10)
		require.EqualValues(t, 1, n)
		return err
	})
	require.True(t, fault.Is(attach(&late, "ee"), fault.NotFound))
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Evidence.Forget(w.ctx, []int64{first.ID, second.ID, third.ID, late.ID})
	})
	require.Equal(t, 2, w.rows("assessment_evidence"), "what is attached or held is never forgotten")
	for _, statement := range []string{"UPDATE assessment_version_evidence SET number = 2", "DELETE FROM assessment_version_evidence"} {
		_, err := raw(t, w.address).Exec(statement)
		require.ErrorContains(t, err, "append-only")
	}

	// What is shared can be seen, but not written.
	shared := access.SharedWith(w.theirs.scope.Company())
	require.Empty(t, of(shared))
	w.share(grant{from: w.ours, to: w.theirs, target: "all", slugs: `["assessment.view"]`, status: "accepted"})
	require.Equal(t, []evidence.File{second}, of(shared))
	missing(func(ctx context.Context, tx ports.Repos) error {
		return tx.Evidence.Remove(ctx, shared, id, second.ID, now)
	})
}

// brokenOff is a store of files whose process ends once a file is stored.
type brokenOff struct {
	ports.Objects
	end bool
}

func (b *brokenOff) Open(ctx context.Context, name string) (ports.Object, error) {
	if b.end {
		return nil, errKilled
	}
	return b.Objects.Open(ctx, name)
}

func (b *brokenOff) Remove(ctx context.Context, name string) error {
	if b.end {
		return errKilled
	}
	return b.Objects.Remove(ctx, name)
}

// testEvidenceSweep leaves bytes behind in every possible way, and clears away those that nothing needs, in two steps.
func testEvidenceSweep(t *testing.T, b Backend) {
	w := newWorld(t, b)
	mapping, err := engine.Mapping()
	require.NoError(t, err)
	folder, err := objects.Open("file:" + t.TempDir())
	require.NoError(t, err)
	deps := app.Deps{Store: w.Database, Gate: app.NewGate(anyone{}, nil, nil), Clock: w.clock, IDs: w.ids}
	broken := &brokenOff{Objects: folder}
	use := &evidenceapp.Files{
		Deps: deps, Assessments: &ghgapp.Assessments{Deps: deps, Table: assessment.NewTable(mapping), Log: slog.New(slog.DiscardHandler)},
		Objects: broken, Bounds: evidenceapp.Bounds{Bytes: 100, Files: 10},
	}
	who := access.Principal{UserID: w.ours.user.ID, Name: w.ours.user.Name, CompanyID: w.ours.scope.Company()}
	id := w.ours.assessment.ID
	attach := func(content string) (evidenceapp.Attached, error) {
		return use.Attach(w.ctx, who, id, func() (evidenceapp.Upload, error) {
			return evidenceapp.Upload{Name: "a.txt", Body: strings.NewReader(content)}, nil
		})
	}
	left := func() int {
		names, err := folder.Names(w.ctx)
		require.NoError(t, err)
		return len(names)
	}
	sweep := func() int64 {
		n, err := use.Sweep(w.ctx)
		require.NoError(t, err)
		return n
	}
	held, err := attach("held")
	require.NoError(t, err)
	removed, err := attach("removed")
	require.NoError(t, err)
	kept, err := attach("kept")
	require.NoError(t, err)
	version := ports.AssessmentVersion{AssessmentID: id, Number: 1, Digest: "d", Engine: "e", FactorSet: "f", GWPSet: "g"}
	require.NoError(t, use.Remove(w.ctx, who, id, removed.ID))
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.AssessmentVersions.Insert(w.ctx, w.ours.scope, &version))
		return tx.Evidence.Hold(w.ctx, w.ours.scope, id, 1)
	})
	require.NoError(t, use.Remove(w.ctx, who, id, held.ID))

	// What is refused, or already attached, leaves nothing behind; a kill does.
	again, err := attach("kept")
	require.NoError(t, err)
	require.True(t, again.Again)
	require.Equal(t, kept.ID, again.ID)
	_, err = attach("<html>")
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	_, err = attach(strings.Repeat("x", 101))
	require.True(t, fault.Is(err, fault.Limit), "%v", err)
	require.Equal(t, 3, left())
	broken.end = true
	_, err = attach("killed")
	require.ErrorIs(t, err, errKilled)
	require.Equal(t, 4, left())
	require.Zero(t, sweep(), "an upload may take a day, and so may a backup")
	w.clock.move(25 * time.Hour)
	_, err = use.Sweep(w.ctx)
	require.ErrorIs(t, err, errKilled)
	broken.end = false
	require.EqualValues(t, 1, sweep(), "that was removed; the upload is given up now")
	require.Equal(t, 3, left())
	w.clock.move(25 * time.Hour)
	require.EqualValues(t, 4, sweep(), "the killed upload, the one that was there, and those that were refused")
	require.Zero(t, sweep())
	require.Equal(t, 2, left())
	for file, want := range map[int64]string{held.ID: "held", kept.ID: "kept"} {
		content, err := use.Open(w.ctx, who, false, id, file)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, content.Write(&out))
		require.Equal(t, want, out.String())
	}

	// Missing bytes, or bytes that are not those that were attached, are reported as an error.
	require.NoError(t, folder.Remove(w.ctx, kept.Object))
	_, err = folder.Put(w.ctx, held.Object, strings.NewReader("hold"))
	require.NoError(t, err)
	for file, says := range map[int64]string{held.ID: "not those that were attached", kept.ID: "missing from the store of files"} {
		content, err := use.Open(w.ctx, who, false, id, file)
		require.NoError(t, err)
		err = content.Write(io.Discard)
		require.ErrorContains(t, err, says)
		_, known := fault.As(err)
		require.False(t, known, "it is a failure of the server")
	}
}
