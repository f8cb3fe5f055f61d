package cog_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

func TestFilesThatAreRefused(t *testing.T) {
	s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16}.plain()
	with := func(tag uint16, f field) spec {
		c := s
		c.extra = map[uint16]field{tag: f}
		return c
	}
	without := func(tags ...uint16) spec {
		c := s
		c.drop = tags
		return c
	}
	huge := s
	huge.extra = map[uint16]field{256: s.longs(1 << 16), 257: s.longs(1 << 16)}
	vast := s
	vast.extra = map[uint16]field{322: s.longs(1 << 16), 323: s.longs(1 << 15)}
	odd := s
	odd.bits, odd.extra = 12, map[uint16]field{317: s.shorts(2)}
	for name, tt := range map[string]struct {
		s    spec
		says string
	}{
		"JPEG":                      {with(259, s.shorts(7)), "7 (JPEG)"},
		"unknown compression":       {with(259, s.shorts(999)), "999"},
		"float predictor":           {with(317, s.shorts(3)), "predictor 3"},
		"predictor of odd bits":     {odd, "not at 12"},
		"LERC":                      {with(259, s.shorts(34887)), "34887 (LERC)"},
		"JPEG 2000 in a TIFF":       {with(259, s.shorts(34712)), "34712 (JPEG 2000)"},
		"a hundred bands":           {with(277, s.shorts(100)), "100 bands"},
		"half a float":              {with(339, s.shorts(3)), "floating point numbers of 16 bits"},
		"complex":                   {with(339, s.shorts(5)), "complex integers of 16 bits"},
		"24 bits":                   {with(258, s.shorts(24)), "unsigned integers of 24 bits"},
		"no bits":                   {with(258, s.shorts(0)), "0 bits"},
		"bits reversed":             {with(266, s.shorts(2)), "reverse"},
		"no width":                  {without(256), "size"},
		"no height":                 {with(257, s.shorts(0)), "size"},
		"wide as the earth":         {with(256, s.longs(4_000_000_000)), "size"},
		"four billion tiles":        {with(324, field{4, 4_000_000_000, []byte{0, 0, 0, 0, 0, 0}}), "4000000000"},
		"tiles of nothing":          {with(322, s.shorts(0)), "blocks of 0"},
		"tile of four gigabytes":    {vast, "blocks of"},
		"too few offsets":           {with(324, s.longs(8)), "lists 1 offsets"},
		"no lengths":                {without(325), "0 lengths"},
		"lengths in real numbers":   {with(325, s.reals(1, 2, 3, 4)), "whole numbers"},
		"no georeference":           {without(33550, 33922), "georeference"},
		"no tiepoint":               {without(33922), "georeference"},
		"scale in whole numbers":    {with(33550, s.longs(10, 10, 0)), "real numbers"},
		"no CRS":                    {without(34735), "EPSG"},
		"geographic CRS":            {with(34735, s.shorts(1, 1, 0, 1, 2048, 0, 1, 4326)), "EPSG"},
		"CRS of its own":            {with(34735, s.shorts(1, 1, 0, 1, 3072, 0, 1, 32767)), "EPSG"},
		"rows northward":            {with(33550, s.reals(10, -10, 0)), "north"},
		"scale of zero":             {with(33550, s.reals(0, 10, 0)), "north"},
		"scale is not a number":     {with(33550, s.reals(nan(), 10, 0)), "finite"},
		"only an overview":          {with(254, s.longs(1)), "no main image"},
		"only a mask":               {with(254, s.longs(4)), "no main image"},
		"more blocks than sensible": {huge, "16777216 blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			data := tt.s.encode(t, scenery(32, 32, 16))
			_, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: data, address: "x"}, "scene/B04.tif")
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			require.ErrorContains(t, err, "scene/B04.tif")
			require.ErrorContains(t, err, tt.says)
		})
	}
}

func nan() float64 {
	var zero float64
	return zero / zero
}

func TestThingsThatAreNoTIFF(t *testing.T) {
	for name, data := range map[string]string{
		"empty":             "",
		"short":             "II*\x00",
		"text":              "<html><body>Sign in</body></html>",
		"JPEG 2000":         "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 ",
		"other magic":       "II\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"BigTIFF of 16":     "II+\x00\x10\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00",
		"directory beyond":  "II*\x00\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x00",
		"BigTIFF far away":  "II+\x00\x08\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff",
		"BigTIFF a bit off": "II+\x00\x08\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f",
		"no directory":      "II*\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"directory in circles": "II*\x00\x08\x00\x00\x00\x01\x00\xfe\x00\x04\x00\x01\x00\x00\x00" +
			"\x01\x00\x00\x00\x08\x00\x00\x00",
	} {
		for _, hidden := range []bool{false, true} {
			_, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: []byte(data), address: "x", hidden: hidden}, "x.tif")
			require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
		}
	}
}

func TestBrokenBlocksAreInvalid(t *testing.T) {
	s := spec{width: 32, height: 32, tiled: true, blockW: 32, blockH: 32, codec: 8}.plain()
	good := s.encode(t, scenery(32, 32, 16))
	at := 8 // where the encoder puts the first block of a classic file
	broken := func(change func([]byte)) []byte {
		b := append([]byte(nil), good...)
		change(b)
		return b
	}
	length := func(n int) []byte {
		c := s
		c.extra = map[uint16]field{325: s.longs(n)}
		return c.encode(t, scenery(32, 32, 16))
	}
	for name, data := range map[string][]byte{
		"not a stream":   broken(func(b []byte) { b[at] = 0xff }),
		"damaged":        broken(func(b []byte) { b[at+40] ^= 0x55; b[at+41] ^= 0x55 }),
		"too short":      length(20),
		"beyond the end": length(1 << 30),
		"absurdly long":  length(1 << 18),
	} {
		for _, hidden := range []bool{false, true} {
			f, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: data, address: "x", hidden: hidden}, "x.tif")
			require.NoError(t, err, name)
			_, err = f.Read(t.Context(), whole(f))
			require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
			require.ErrorContains(t, err, "x.tif")
		}
	}
}

func TestADamagedChecksumIsFound(t *testing.T) {
	s := spec{width: 32, height: 32, codec: 8}.plain()
	data := s.encode(t, scenery(32, 32, 16))
	packed := len(pack(t, 8, s.block(scenery(32, 32, 16), 0, 0)))
	data[8+packed-1] ^= 1 // the last byte of the Adler-32 sum
	f, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: data, address: "x"}, "x.tif")
	require.NoError(t, err)
	_, err = f.Read(t.Context(), whole(f))
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

// A file of a few bytes must not make the reader take memory for what it claims.
func TestHostileClaimsTakeNoMemory(t *testing.T) {
	s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16, big: true, order: binary.LittleEndian}.plain()
	for _, tag := range []uint16{258, 324, 325, 34735, 33550, 42113} {
		for _, count := range []int{1 << 20, 1 << 32, 1 << 60, 1<<63 - 1} {
			c := s
			f := s.fields([]int{8, 8, 8, 8}, []int{1, 1, 1, 1})[tag]
			if tag == 42113 {
				f = field{kind: 2}
			}
			f.count, f.data = count, []byte{8, 0, 0, 0, 0, 0, 0, 0}
			c.extra = map[uint16]field{tag: f}
			data := c.encode(t, scenery(32, 32, 16))
			for _, hidden := range []bool{false, true} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: data, address: "x", hidden: hidden}, "x.tif")
				runtime.ReadMemStats(&after)
				require.Error(t, err, "tag %d count %d", tag, count)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "tag %d count %d", tag, count)
			}
		}
	}
}

func TestFaultsOfTheSourcePassUnchanged(t *testing.T) {
	away := fault.New(fault.Unavailable, "imagery_unavailable", "Away.")
	source := &memory{data: spec{width: 200, height: 200}.encode(t, scenery(200, 200, 16)), address: "x"}
	source.fail = away
	reader := cog.NewReader(1 << 20)
	_, err := reader.Open(t.Context(), source, "x.tif")
	require.True(t, errors.Is(err, away))
	source.fail = nil
	f, err := reader.Open(t.Context(), source, "x.tif")
	require.NoError(t, err, "a failure is not kept")
	source.fail = away
	_, err = f.Read(t.Context(), whole(f))
	require.True(t, errors.Is(err, away))
}

func TestLocalFiles(t *testing.T) {
	dir := t.TempDir()
	dn := scenery(200, 200, 16)
	path := filepath.Join(dir, "B04.tif")
	require.NoError(t, os.WriteFile(path, spec{width: 200, height: 200}.encode(t, dn), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	outside := filepath.Join(t.TempDir(), "B04.tif")
	require.NoError(t, os.WriteFile(outside, []byte("II*"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.tif")))

	fromFile, err := cog.FromFile(path)
	require.NoError(t, err)
	fromRoot, err := cog.FromRoot(root, "B04.tif")
	require.NoError(t, err)
	for _, source := range []cog.Source{fromFile, fromRoot} {
		f, err := cog.Open(t.Context(), source, "B04.tif")
		require.NoError(t, err)
		got, err := f.Read(t.Context(), whole(f))
		require.NoError(t, err)
		require.Equal(t, dn, got.DN)
	}
	_, err = cog.FromFile(filepath.Join(dir, "B08.tif"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = cog.FromFile(dir)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	_, err = cog.FromRoot(root, "link.tif")
	require.Error(t, err, "a link out of the folder")
	_, err = cog.FromRoot(root, "../B04.tif")
	require.Error(t, err, "a way out of the folder")

	f, err := cog.NewReader(0).Open(t.Context(), fromFile, "B04.tif")
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	_, err = f.Read(t.Context(), vegetation.Window{Width: 1, Height: 1})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
