package item_test

import (
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
	"tilth/core/geo"
)

// maxTaken is what one item may make the parser take in memory, in bytes.
const maxTaken = 256 << 20

// FuzzParse checks that no bytes make the parser panic or take memory beyond bounds, that it
// refuses what it does not understand as Invalid, and that what it does understand has a name.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":"a","bbox":[0,0,1,1],"properties":{"datetime":"2025-01-01T00:00:00Z"},"assets":{"red":{"href":"B04.tif","eo:bands":[{"name":"B04"}]}}}`))
	f.Add([]byte(`{"id":"a","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]},"properties":{"start_datetime":"2025-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"id":"a","geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[0,0]}]},"properties":{"datetime":"2025-01-01T00:00:00Z"}}`))
	// Real items, where they exist; a fuzzer does not test them.
	samples, _ := filepath.Glob(filepath.Join(os.Getenv("TILTH_REAL_DATA"), "satellite", "stac-samples", "*item*.json"))
	for _, name := range samples {
		if raw, err := os.ReadFile(name); err == nil {
			f.Add(raw)
		}
	}
	area, err := item.NewArea(geo.MultiPolygon{{{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 0}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := taken()
		defer func() {
			if bytes := taken() - before; bytes > maxTaken {
				t.Errorf("%d bytes of memory for an item of %d", bytes, len(data))
			}
		}()
		it, err := item.Parse(data, "x")
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%T %v", err, err)
			}
			if broken, ok := item.Salvage(data, err); ok && (broken.ID == "" || broken.Broken == "") {
				t.Fatalf("%+v", broken)
			}
			if broken, ok := item.SalvagePlaced(data, err); ok {
				if s := broken.Scene(); s.ID == "" || s.SensedAt.IsZero() || s.Broken == "" || len(s.Bands) > 0 {
					t.Fatalf("%+v", s)
				}
				_ = broken.Meets(area)
			}
			return
		}
		if it.ID == "" || it.Scene().Platform == "" {
			t.Fatalf("%+v", it.Scene())
		}
		_ = it.Meets(area)
	})
}

// taken is how many bytes have been taken from the heap since the start.
func taken() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
