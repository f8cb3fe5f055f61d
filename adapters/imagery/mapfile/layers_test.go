package mapfile_test

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/mapfile"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/ports"
)

// shelf is a store of files that counts how often one is opened.
type shelf struct {
	ports.Objects
	files  map[string][]byte
	opened atomic.Int64
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

func (s *shelf) Open(_ context.Context, name string) (ports.Object, error) {
	s.opened.Add(1)
	file, ok := s.files[name]
	if !ok {
		return nil, fault.Missing("file")
	}
	return opened{bytes.NewReader(file)}, nil
}

func shelfOf(t *testing.T, sides ...int) *shelf {
	t.Helper()
	s := &shelf{files: map[string][]byte{}}
	for _, side := range sides {
		var file bytes.Buffer
		require.NoError(t, mapfile.Files{}.WriteLayer(&file, layerOf(side, side)))
		s.files[string(rune('a'+len(s.files)))] = file.Bytes()
	}
	return s
}

// A date is read once, however many request it at the same time, and again when others have displaced it.
func TestLayersAreKept(t *testing.T) {
	store := shelfOf(t, 20, 20)
	layers := mapfile.NewLayers(store, 6_000) // one of them
	var all sync.WaitGroup
	var first atomic.Pointer[indexmap.Layer]
	for range 20 {
		all.Go(func() {
			l, err := layers.Layer(t.Context(), "a")
			if err == nil && (first.CompareAndSwap(nil, l) || first.Load() == l) {
				return
			}
			t.Errorf("%p, and not %p: %v", l, first.Load(), err)
		})
	}
	all.Wait()
	require.EqualValues(t, 1, store.opened.Load())
	same(t, layerOf(20, 20), *first.Load(), 0)
	for range 3 {
		_, err := layers.Layer(t.Context(), "b")
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, store.opened.Load())
	_, err := layers.Layer(t.Context(), "a")
	require.NoError(t, err)
	require.EqualValues(t, 3, store.opened.Load(), "it had to go")
}

func TestLayersThatAreNotThere(t *testing.T) {
	store := shelfOf(t, 20)
	layers := mapfile.NewLayers(store, mapfile.DefaultCache)
	for range 2 {
		_, err := layers.Layer(t.Context(), "z")
		require.True(t, fault.Is(err, fault.NotFound))
	}
	require.EqualValues(t, 2, store.opened.Load(), "a failure is not kept")
	store.files["a"] = store.files["a"][:100]
	_, err := layers.Layer(t.Context(), "a")
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}
