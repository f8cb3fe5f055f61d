package memory

import (
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"tilth/ports"
)

// Features is a reader of outline files that reads every file as the same features.
type Features []ports.Feature

// Survey implements ports.Outlines.
func (f Features) Survey(context.Context, string, ports.Object) (ports.Survey, error) {
	out, names := ports.Survey{Features: int64(len(f))}, map[string]bool{}
	for _, feature := range f {
		for name := range feature.Attributes {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.Properties = append(out.Properties, ports.Property{Name: name})
	}
	return out, nil
}

// Read implements ports.Outlines.
func (f Features) Read(context.Context, string, ports.Object) iter.Seq2[ports.Feature, error] {
	return func(yield func(ports.Feature, error) bool) {
		for _, feature := range f {
			if !yield(feature, nil) {
				return
			}
		}
	}
}

// Attributes implements ports.Outlines.
func (f Features) Attributes(ctx context.Context, media string, file ports.Object) iter.Seq2[ports.Feature, error] {
	return f.Read(ctx, media, file)
}

// Drawer is a store of uploaded files that keeps none of them: [Features] reads them.
type Drawer struct{ ports.Objects }

// Put implements ports.Objects.
func (Drawer) Put(_ context.Context, _ string, from io.Reader) (int64, error) {
	return io.Copy(io.Discard, from)
}

// Open implements ports.Objects.
func (Drawer) Open(context.Context, string) (ports.Object, error) { return noFile{}, nil }

// Remove implements ports.Objects.
func (Drawer) Remove(context.Context, string) error { return nil }

// RemoveOlder implements ports.Objects.
func (Drawer) RemoveOlder(_ context.Context, folder string, _ time.Time) error {
	if !strings.HasPrefix(folder, "imports") {
		panic(folder)
	}
	return nil
}

type noFile struct{ ports.Object }

func (noFile) Close() error { return nil }
