package cog_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"
	"pgregory.net/rapid"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// scenery is an image with gradients, edges and noise, so that every codec and both
// predictors have something to do. Values fill the bits.
func scenery(width, height, bits int) []uint16 {
	dn := make([]uint16, width*height)
	state := uint32(7)
	for i := range dn {
		state = state*1664525 + 1013904223
		v := uint16(i%width*37 + i/width*911)
		if i%3 == 0 {
			v ^= uint16(state >> 16)
		}
		dn[i] = v & (1<<bits - 1)
	}
	return dn
}

func open(t testing.TB, data []byte) (*cog.File, *memory) {
	t.Helper()
	source := &memory{data: data, address: t.Name()}
	f, err := cog.NewReader(1<<20).Open(t.Context(), source, "scene/B04.tif")
	require.NoError(t, err)
	return f, source
}

func whole(f *cog.File) vegetation.Window {
	return vegetation.Window{Width: f.Grid().Width, Height: f.Grid().Height}
}

func TestEveryPixelOverEveryEncoding(t *testing.T) {
	for _, codec := range []uint16{1, 5, 8, 32946, 50000} {
		for _, bits := range []int{8, 16} {
			for predictor := 1; predictor <= 2; predictor++ {
				for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
					for _, big := range []bool{false, true} {
						for _, block := range []struct {
							tiled bool
							w, h  int
						}{{true, 16, 16}, {true, 32, 16}, {true, 64, 64}, {false, 0, 1}, {false, 0, 7}, {false, 0, 37}} {
							s := spec{
								width: 61, height: 37, bits: bits, order: order, big: big, codec: codec, predictor: predictor,
								tiled: block.tiled, blockW: block.w, blockH: block.h,
							}
							name := fmt.Sprintf("codec %d/bits %d/predictor %d/%v/big %v/%v", codec, bits, predictor, order, big, block)
							t.Run(name, func(t *testing.T) {
								want := scenery(s.width, s.height, bits)
								f, _ := open(t, s.encode(t, want))
								got, err := f.Read(t.Context(), whole(f))
								require.NoError(t, err)
								require.Equal(t, want, got.DN)
								require.False(t, got.HasNoData)
							})
						}
					}
				}
			}
		}
	}
}

func TestSamplesOfOddWidth(t *testing.T) {
	for _, bits := range []int{1, 4, 7, 9, 12, 15} {
		s := spec{width: 21, height: 9, bits: bits, tiled: true, blockW: 16, blockH: 16, codec: 8}
		want := scenery(s.width, s.height, bits)
		f, _ := open(t, s.encode(t, want))
		got, err := f.Read(t.Context(), whole(f))
		require.NoError(t, err)
		require.Equal(t, want, got.DN, "%d bits", bits)
	}
}

// The image library is a second opinion on both the encoder and the reader.
func TestAgreesWithTheImageLibrary(t *testing.T) {
	for _, codec := range []uint16{1, 5, 8} {
		for _, bits := range []int{8, 16} {
			for predictor := 1; predictor <= 2; predictor++ {
				for _, tiled := range []bool{true, false} {
					for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
						s := spec{width: 50, height: 41, bits: bits, order: order, codec: codec, predictor: predictor, tiled: tiled, blockW: 16, blockH: 16}
						data := s.encode(t, scenery(s.width, s.height, bits))
						img, err := tiff.Decode(bytes.NewReader(data))
						require.NoError(t, err)
						f, _ := open(t, data)
						got, err := f.Read(t.Context(), whole(f))
						require.NoError(t, err)
						for i, v := range got.DN {
							require.Equal(t, grey(img, i%s.width, i/s.width), v, "pixel %d of %+v", i, s)
						}
					}
				}
			}
		}
	}
}

func grey(img image.Image, x, y int) uint16 {
	switch g := img.(type) {
	case *image.Gray16:
		return g.Gray16At(x, y).Y
	case *image.Gray:
		return uint16(g.GrayAt(x, y).Y)
	default:
		panic(fmt.Sprintf("unexpected %T", img))
	}
}

func TestGeoreference(t *testing.T) {
	area := vegetation.Grid{EPSG: 32630, OriginX: 399960, OriginY: 4700040, PixelX: 10, PixelY: 20, Width: 8, Height: 4}
	point := area
	point.OriginX, point.OriginY = area.OriginX-5, area.OriginY+10
	for name, tt := range map[string]struct {
		s    spec
		want vegetation.Grid
	}{
		"scale and tiepoint":  {spec{}, area},
		"matrix":              {spec{matrix: true}, area},
		"point":               {spec{pointRaster: true}, point},
		"behind an overview":  {spec{overview: true}, area},
		"overview in BigTIFF": {spec{overview: true, big: true, order: binary.BigEndian}, area},
	} {
		t.Run(name, func(t *testing.T) {
			tt.s.width, tt.s.height = 8, 4
			dn := scenery(8, 4, 16)
			f, _ := open(t, tt.s.encode(t, dn))
			require.Equal(t, tt.want, f.Grid())
			got, err := f.Read(t.Context(), vegetation.Window{Col: -1, Row: 2, Width: 3, Height: 1})
			require.NoError(t, err)
			want := tt.want
			want.OriginX, want.OriginY, want.Width, want.Height = want.OriginX-10, want.OriginY-40, 3, 1
			require.Equal(t, want, got.Grid)
			require.Equal(t, []uint16{0, dn[16], dn[17]}, got.DN)
		})
	}
}

func TestNoData(t *testing.T) {
	for text, tt := range map[string]struct {
		has   bool
		value uint16
	}{
		"0": {true, 0}, "65535": {true, 65535}, " 7.0 ": {true, 7}, "nan": {}, "-9999": {}, "0.5": {}, "70000": {}, "": {}, "none": {},
	} {
		s := spec{width: 4, height: 4, noData: text}
		f, _ := open(t, s.encode(t, scenery(4, 4, 16)))
		value, has := f.NoData()
		require.Equal(t, tt.has, has, "%q", text)
		require.Equal(t, tt.value, value, "%q", text)
	}
}

func TestSparseBlocksAndTheOutsideAreNoData(t *testing.T) {
	for noData, want := range map[string]uint16{"": 0, "0": 0, "65535": 65535} {
		s := spec{width: 32, height: 16, tiled: true, blockW: 16, blockH: 16, sparse: map[int]bool{1: true}, noData: noData}
		dn := scenery(32, 16, 16)
		f, _ := open(t, s.encode(t, dn))
		got, err := f.Read(t.Context(), vegetation.Window{Col: 14, Row: 15, Width: 4, Height: 2})
		require.NoError(t, err)
		require.True(t, got.HasNoData)
		require.Equal(t, want, got.NoData)
		require.Equal(t, []uint16{dn[15*32+14], dn[15*32+15], want, want, want, want, want, want}, got.DN)
	}
}

func TestAssumedNoDataYieldsToTheFile(t *testing.T) {
	outside := vegetation.Window{Col: 100, Row: 100, Width: 1, Height: 1}
	silent, _ := open(t, spec{width: 4, height: 4}.encode(t, scenery(4, 4, 16)))
	got, err := silent.AssumeNoData(9).Read(t.Context(), outside)
	require.NoError(t, err)
	require.Equal(t, []uint16{9}, got.DN)
	got, err = silent.Read(t.Context(), outside)
	require.NoError(t, err)
	require.Equal(t, []uint16{0}, got.DN, "the original is unchanged")
	stated, _ := open(t, spec{width: 4, height: 4, noData: "3"}.encode(t, scenery(4, 4, 16)))
	got, err = stated.AssumeNoData(9).Read(t.Context(), outside)
	require.NoError(t, err)
	require.Equal(t, []uint16{3}, got.DN)
}

func TestAnyWindowEqualsThePixelsOfTheImage(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := spec{
			width: rapid.IntRange(1, 50).Draw(r, "width"), height: rapid.IntRange(1, 50).Draw(r, "height"),
			tiled: rapid.Bool().Draw(r, "tiled"), blockW: rapid.IntRange(1, 20).Draw(r, "block width"),
			codec: rapid.SampledFrom([]uint16{1, 5, 8, 50000}).Draw(r, "codec"), noData: "65535",
		}
		s.blockH = rapid.IntRange(1, s.height).Draw(r, "block height")
		w := vegetation.Window{
			Col: rapid.IntRange(-60, 60).Draw(r, "col"), Row: rapid.IntRange(-60, 60).Draw(r, "row"),
			Width: rapid.IntRange(1, 80).Draw(r, "w"), Height: rapid.IntRange(1, 80).Draw(r, "h"),
		}
		dn := scenery(s.width, s.height, 15)
		source := &memory{data: s.encode(t, dn), address: "x"}
		f, err := cog.NewReader(4000).Open(t.Context(), source, "x")
		require.NoError(r, err)
		got, err := f.Read(t.Context(), w)
		require.NoError(r, err)
		require.Len(r, got.DN, w.Width*w.Height)
		for i, v := range got.DN {
			col, row := w.Col+i%w.Width, w.Row+i/w.Width
			want := uint16(65535)
			if col >= 0 && row >= 0 && col < s.width && row < s.height {
				want = dn[row*s.width+col]
			}
			require.Equal(r, want, v, "column %d row %d", col, row)
		}
	})
}

func TestWindowsThatCannotBeRead(t *testing.T) {
	f, _ := open(t, spec{width: 4, height: 4}.encode(t, scenery(4, 4, 16)))
	for _, w := range []vegetation.Window{
		{}, {Width: 1}, {Width: -1, Height: 1}, {Width: 1 << 20, Height: 1 << 20}, {Col: 1 << 40, Width: 1, Height: 1}, {Width: 1 << 62, Height: 1 << 62},
	} {
		_, err := f.Read(t.Context(), w)
		require.True(t, fault.Is(err, fault.Invalid), "%+v: %v", w, err)
	}
}
