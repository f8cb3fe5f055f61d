package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/objects"
	"tilth/app"
	"tilth/app/external"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/attachment"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	soilplan "tilth/core/stratification/plan"
	soilsample "tilth/core/stratification/sample"
	"tilth/ports"
)

const jpeg = "\xff\xd8\xff\xe0 a photo "

// testSamplePhotos takes photos through their lives: begun, attached, seen only by their company, removed and swept away.
func testSamplePhotos(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope, w.theirs.scope
	plan, now := w.plan(), w.clock.Now().Truncate(time.Microsecond)
	soilOf := soilsample.Sample{
		Meta: w.meta(w.ours), PlanID: plan.ID, AOI: plan.AOI, Round: 1, Point: "Z1-01", Zone: 1, Role: soilplan.RoleSample, Depth: soilsample.DepthOf(0, 30),
		Planned: geo.Position{X: 6, Y: 52}, Status: soilsample.StatusPlanned, Label: "L-1",
	}
	w.write(func(tx ports.Repos) error { return tx.SoilSamples.Insert(w.ctx, ours, []*soilsample.Sample{&soilOf}) })
	id := soilOf.ID
	folder, err := objects.Open("file:" + t.TempDir())
	require.NoError(t, err)
	broken := &brokenOff{Objects: folder}
	use := &soil.Photos{Deps: app.Deps{Store: w.Database, Gate: app.NewGate(anyone{}, nil, nil), Clock: w.clock, IDs: w.ids}, Objects: broken, Bounds: soil.PhotoBounds{Bytes: 100, Files: 4}}
	who := access.Principal{UserID: w.ours.user.ID, Name: w.ours.user.Name, CompanyID: ours.Company()}
	stranger := access.Principal{UserID: w.theirs.user.ID, CompanyID: theirs.Company()}
	attach := func(who access.Principal, content string) (soil.AttachedPhoto, error) {
		return use.Attach(w.ctx, who, id, func() (soil.PhotoUpload, error) {
			return soil.PhotoUpload{Name: `C:\a.jpg`, Note: "Ñ", Body: strings.NewReader(content)}, nil
		})
	}
	left := func() int {
		names, err := folder.Names(w.ctx)
		require.NoError(t, err)
		return len(names)
	}
	first, err := attach(who, jpeg)
	require.NoError(t, err)
	require.Equal(t, attachment.File{
		ID: first.ID, Name: "a.jpg", Media: "image/jpeg", Size: int64(len(jpeg)), SHA256: first.SHA256, Note: "Ñ", At: now,
		By: record.Ref{ID: who.UserID, Name: who.Name}, Object: first.Object,
	}, first.File)
	again, err := attach(who, jpeg)
	require.NoError(t, err)
	require.Equal(t, []any{true, first.ID}, []any{again.Again, again.ID})
	second, err := attach(who, jpeg+"2")
	require.NoError(t, err)
	_, err = attach(who, "%PDF-1.7")
	require.True(t, fault.Is(err, fault.Invalid), "no photo: %v", err)
	require.Equal(t, 2, left(), "what is refused, and what is there already, leaves no bytes")
	list, err := use.List(w.ctx, who, id, external.Chosen{})
	require.NoError(t, err)
	require.Equal(t, []attachment.File{first.File, second.File}, list)

	// Another company sees none of it.
	_, err = attach(stranger, jpeg)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	for _, err := range []error{
		func() error { _, err := use.List(w.ctx, stranger, id, external.Chosen{}); return err }(),
		func() error { _, _, err := use.Open(w.ctx, stranger, id, first.ID); return err }(),
		use.Remove(w.ctx, stranger, id, first.ID),
		w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.SamplePhotos.Begin(ctx, theirs, id, &attachment.File{Object: "x", At: now})
		}),
		w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.SamplePhotos.Attach(ctx, theirs, id, first.File, now)
		}),
	} {
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}

	// A kill leaves bytes behind, and so does a removal; they are removed after a day, and what is attached stays.
	broken.end = true
	_, err = attach(who, jpeg+"3")
	require.ErrorIs(t, err, errKilled)
	broken.end = false
	require.NoError(t, use.Remove(w.ctx, who, id, second.ID))
	require.True(t, fault.Is(use.Remove(w.ctx, who, id, second.ID), fault.NotFound))
	require.Equal(t, 3, left())
	for range 2 {
		w.clock.move(25 * time.Hour)
		_, err = use.Sweep(w.ctx)
		require.NoError(t, err)
	}
	require.Equal(t, 1, left())
	require.Equal(t, 1, w.rows("sample_photos"))
	_, write, err := use.Open(w.ctx, who, id, first.ID)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, write(&out))
	require.Equal(t, jpeg, out.String())
	for i := range use.Bounds.Files {
		if _, err = attach(who, jpeg+strings.Repeat("x", i+10)); err != nil {
			break
		}
	}
	require.True(t, fault.Is(err, fault.Conflict), "the number of photos is bounded: %v", err)
}
