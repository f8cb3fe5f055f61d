package mapfile

import (
	"context"

	"tilth/adapters/imagery/internal/keep"
	"tilth/core/indexmap"
	"tilth/ports"
)

// DefaultCache is the number of bytes of map dates kept in memory: about a thousand dates of fields of 30 ha.
const DefaultCache = 64 << 20

// Layers reads the dates of maps from the object store, and keeps the most recently requested ones in memory: people look at a map
// tile by tile. Safe for concurrent use.
type Layers struct {
	objects ports.Objects
	kept    *keep.Cache[string]
}

// NewLayers returns the dates in a store, and keeps at most that many bytes of them in memory.
func NewLayers(objects ports.Objects, bytes int64) *Layers {
	return &Layers{objects, keep.New[string](bytes)}
}

// Layer returns the date that an object holds; objects are named by their content. The result is shared and must not be
// changed. Faults: NotFound where there is no such object; otherwise those of Files.ReadLayer.
func (l *Layers) Layer(ctx context.Context, object string) (*indexmap.Layer, error) {
	got, err := l.kept.Get(ctx, []string{object}, func(ctx context.Context, _ []string) ([]keep.Value, error) {
		layer, err := l.read(ctx, object)
		return []keep.Value{{Data: layer, Cost: costOf(layer)}}, err
	})
	if err != nil {
		return nil, err
	}
	return got[0].(*indexmap.Layer), nil
}

func (l *Layers) read(ctx context.Context, object string) (*indexmap.Layer, error) {
	file, err := l.objects.Open(ctx, object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	layer, err := Files{}.ReadLayer(ctx, file, file.Size())
	return &layer, err
}

// costOf returns the memory of a layer, in bytes.
func costOf(l *indexmap.Layer) int64 {
	if l == nil {
		return 0
	}
	return 512 + int64(8*len(l.Values)+8*len(l.Weights)+len(l.Inside))
}
