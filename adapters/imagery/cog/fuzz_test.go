package cog_test

import (
	"context"
	"encoding/binary"
	"testing"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// FuzzOpenRead holds that no bytes make the reader panic, and that what it does not read
// it calls Invalid.
func FuzzOpenRead(f *testing.F) {
	for _, s := range []spec{
		{width: 20, height: 20, tiled: true, blockW: 16, blockH: 16, codec: 8, predictor: 2, noData: "0"},
		{width: 20, height: 20, tiled: true, blockW: 16, blockH: 16, codec: 50000, big: true, order: binary.BigEndian},
		{width: 20, height: 20, blockH: 7, codec: 5, bits: 8, matrix: true},
		{width: 20, height: 20, blockH: 3, bits: 15, overview: true, sparse: map[int]bool{2: true}},
	} {
		f.Add(s.encode(f, scenery(s.width, s.height, 8)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := cog.NewReader(1<<20).Open(context.Background(), &memory{data: data, address: "x"}, "x.tif")
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
	})
}

func mustBeInvalid(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Invalid) {
		t.Fatalf("%T %v", err, err)
	}
}
