package farm_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/farm"
	"tilth/app/farm/outlines"
	"tilth/core/access"
	core "tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
	"tilth/tests/fields"
	"tilth/tests/memory"
)

// A transaction blocks other writers: outlines are read and compared before it, none within it.
func TestNoOutlineIsComparedInATransaction(t *testing.T) {
	t.Parallel()
	for name, do := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, watch := newWatched(t)
			changed := do(l, watch)
			require.Greater(t, watch.outside, 3, "of the steps of comparing 1,000 corners")
			require.Zero(t, watch.within)
			require.True(t, watch.wrote)
			for _, f := range changed {
				require.False(t, f.Overlaps.Pending)
				require.Len(t, f.Overlaps.Fields, 8+len(changed)-1)
			}
			l.settled()
		})
	}
}

// What changes between the comparison and the transaction is compared in the background.
func TestOutlinesThatChangeMeanwhileAreComparedInTheBackground(t *testing.T) {
	t.Parallel()
	for name, do := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, watch := newWatched(t)
			other := *l.land
			other.holding = l.undisturbed
			watch.meanwhile = func() { other.move(l.some, fields.Round(t, 0.001, 0, 0.01, 1000)) }
			for _, f := range do(l, watch) {
				require.True(t, f.Overlaps.Pending)
			}
			require.Nil(t, watch.meanwhile)
			l.settled()
		})
	}
}

// changes are the ways in which outlines are stored: each puts one or two onto the ground of the others, and returns the fields as they stand.
var changes = map[string]func(l *watched, ctx context.Context) []core.Field{
	"bulk": func(l *watched, ctx context.Context) []core.Field {
		drafts := []farm.Draft[core.Field]{l.draft(l.another()), l.draft(l.another())}
		made, err := l.fields.Create(ctx, l.owner, drafts, true)
		require.NoError(l.t, err)
		return l.keep(made...)
	},
	"change": func(l *watched, ctx context.Context) []core.Field {
		out, err := l.fields.Update(ctx, l.owner, l.apart[0], set(func(f *core.Field) { f.Boundary = l.another() }))
		require.NoError(l.t, err)
		return l.keep(out)
	},
	"import": func(l *watched, ctx context.Context) []core.Field {
		return l.imported(ctx, core.ImportOptions{FarmID: l.farm.ID}, ports.Feature{Boundary: l.another()}, ports.Feature{Boundary: l.another()})
	},
	"import over fields": func(l *watched, ctx context.Context) []core.Field {
		return l.imported(ctx, core.ImportOptions{FarmID: l.farm.ID, Mapping: core.Mapping{"external_id": {Properties: []string{"id"}}}},
			ports.Feature{Boundary: l.another(), Attributes: map[string]string{"id": "0"}},
			ports.Feature{Boundary: l.another(), Attributes: map[string]string{"id": "1"}})
	},
}

// watched is a land with a stack of eight fields and two apart, whose next change is observed.
type watched struct {
	*land
	undisturbed *holding
	some        int64 // of the stack
	apart       []int64
}

func newWatched(t *testing.T) (*watched, *watch) {
	l := &watched{land: newLand(t, 0)}
	for range 8 {
		l.some = l.add(l.another())[0].ID
	}
	for i := range 2 {
		draft := l.draft(fields.Round(t, 0.1+float64(i), 0, 0.01, 1000))
		draft.Record.External.ExternalID = strconv.Itoa(i)
		made, err := l.fields.Create(t.Context(), l.owner, []farm.Draft[core.Field]{draft}, false)
		require.NoError(t, err)
		l.apart = append(l.apart, l.keep(made...)[0].ID)
	}
	before := *l.holding
	l.undisturbed = &before
	deps, watch := l.world.Deps(), &watch{Context: t.Context()}
	deps.Store = &watchedStore{deps.Store, watch}
	limits := geo.DefaultLimits()
	limits.OverlapSteps = 0
	l.fields = farm.NewFields(deps, limits)
	return l, watch
}

func (l *watched) another() *geo.Boundary { return fields.Round(l.t, 0, 0, 0.01, 1000) }

func (l *watched) draft(b *geo.Boundary) farm.Draft[core.Field] {
	return farm.Draft[core.Field]{Record: core.Field{Name: "f", Farm: record.Ref{ID: l.farm.ID}, Boundary: b}}
}

func (l *watched) keep(fields ...core.Field) []core.Field {
	for _, f := range fields {
		l.live[f.ID] = f.Boundary
	}
	return fields
}

func (l *watched) imported(ctx context.Context, options core.ImportOptions, features ...ports.Feature) (out []core.Field) {
	deps := l.world.Deps()
	deps.Store = &watchedStore{deps.Store, ctx.(*watch)}
	in := &outlines.Imports{Deps: deps, Objects: memory.Drawer{}, Outlines: memory.Features(features), Fields: l.fields}
	report, err := in.Start(ctx, l.owner, options, func() (outlines.ImportFile, error) {
		return outlines.ImportFile{Body: bytes.NewReader(nil)}, nil
	})
	require.NoError(l.t, err)
	for _, j := range report.Judged {
		require.NotNil(l.t, j.Field, "%v", j.Errors)
		out = append(out, *j.Field)
	}
	return l.keep(out...)
}

// watch is the context of a request. A budget asks it once every few thousand steps whether the caller has left: it
// counts these questions within the transaction and outside.
type watch struct {
	context.Context
	writing, wrote  bool
	within, outside int
	meanwhile       func() // before the transaction
}

func (w *watch) Err() error {
	if w.writing {
		w.within++
	} else {
		w.outside++
	}
	return w.Context.Err()
}

// watchedStore is a store that reads no outlines of others in a write.
type watchedStore struct {
	ports.Store
	*watch
}

func (s *watchedStore) Write(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	if s.meanwhile != nil {
		s.meanwhile()
		s.meanwhile = nil
	}
	s.writing, s.wrote = true, true
	defer func() { s.writing = false }()
	return s.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		tx.Fields = unreadFields{tx.Fields}
		return do(ctx, tx)
	})
}

type unreadFields struct{ ports.Fields }

func (unreadFields) GetMany(context.Context, access.Scope, []int64) (map[int64]core.Field, error) {
	return nil, errors.New("an outline is read")
}
