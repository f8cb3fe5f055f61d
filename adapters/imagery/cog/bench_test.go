package cog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/vegetation"
)

// land is an image that packs like a real band does: slopes and a little noise.
func land(side int) []uint16 {
	random := rand.New(rand.NewPCG(1, 2))
	dn := make([]uint16, side*side)
	for i := range dn {
		dn[i] = uint16(1500 + i%side + i/side/2 + int(40*random.NormFloat64()))
	}
	return dn
}

// One block of 1024 pixels, as full-size archives have them: unpacked, and from the cache.
func BenchmarkBlock1024(b *testing.B) {
	const side = 1024
	dn := land(side)
	for _, codec := range []uint16{1, 5, 8, 50000} {
		data := spec{width: side, height: side, tiled: true, blockW: side, blockH: side, codec: codec, predictor: 2}.encode(b, dn)
		source := &memory{data: data, address: b.Name()}
		window := vegetation.Window{Col: 480, Row: 480, Width: 64, Height: 64}
		read := func(b *testing.B, reader *cog.Reader) {
			f, err := reader.Open(context.Background(), source, "x.tif")
			require.NoError(b, err)
			_, err = f.Read(context.Background(), window)
			require.NoError(b, err)
			source.reads = nil
		}
		b.Run(fmt.Sprintf("codec-%d/unpacked", codec), func(b *testing.B) {
			b.SetBytes(2 * side * side)
			b.ReportAllocs()
			for b.Loop() {
				read(b, cog.NewReader(0))
			}
		})
		b.Run(fmt.Sprintf("codec-%d/cached", codec), func(b *testing.B) {
			reader := cog.NewReader(8 << 20)
			b.ReportAllocs()
			for b.Loop() {
				read(b, reader)
			}
		})
	}
}
