package cog_test

import (
	"context"
	"encoding/binary"
	"runtime/metrics"
	"testing"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// maxTaken is what one input may make the reader take in memory, in bytes: a block as
// large as any that is read, its packed form, and the state of its codec.
const maxTaken = 256 << 20

// FuzzOpenRead checks that no bytes make the reader panic or take memory beyond bounds, and that it
// refuses what it does not read as Invalid. Every file is read twice: as one of known length, and
// as one behind a server that does not state it.
func FuzzOpenRead(f *testing.F) {
	for _, s := range []spec{
		{width: 20, height: 20, tiled: true, blockW: 16, blockH: 16, codec: 8, predictor: 2, noData: "0"},
		{width: 20, height: 20, tiled: true, blockW: 16, blockH: 16, codec: 50000, big: true, order: binary.BigEndian},
		{width: 20, height: 20, blockH: 7, codec: 5, bits: 8, matrix: true},
		{width: 20, height: 20, blockH: 3, bits: 15, overview: true, sparse: map[int]bool{2: true}},
	} {
		f.Add(s.encode(f, scenery(s.width, s.height, 8)))
	}
	for name, h := range hostile(f) {
		if name != largestStrip { // takes its memory each time, which leaves time for little else
			f.Add(h)
		}
	}
	f.Add(strip(8, 600, zeros(f, 8, 1))) // larger than its pixels
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hidden := range []bool{false, true} {
			before := taken()
			openRead(t, &memory{data: data, address: "x", hidden: hidden})
			if bytes := taken() - before; bytes > maxTaken {
				t.Fatalf("%d bytes of memory for a file of %d", bytes, len(data))
			}
		}
	})
}

// taken is how many bytes have been taken from the heap since the start.
func taken() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// openRead reads the top and the bottom of a file, the latter with what is kept of the
// former.
func openRead(t *testing.T, source cog.Source) {
	file, err := cog.NewReader(128<<20).Open(context.Background(), source, "x.tif")
	if err != nil {
		mustBeInvalid(t, err)
		return
	}
	g := file.Grid()
	for _, w := range []vegetation.Window{{Col: -2, Row: -2, Width: 40, Height: 40}, {Col: g.Width - 3, Row: g.Height - 3, Width: 5, Height: 5}} {
		got, err := file.Read(context.Background(), w)
		if err != nil {
			mustBeInvalid(t, err)
			continue
		}
		if len(got.DN) != w.Width*w.Height || !got.HasNoData {
			t.Fatalf("%d pixels for %+v, nodata %v", len(got.DN), w, got.HasNoData)
		}
	}
}

func mustBeInvalid(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Invalid) {
		t.Fatalf("%T %v", err, err)
	}
}
