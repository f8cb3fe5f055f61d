package inflate_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/imagery/internal/inflate"
)

// pack is the standard library's packing at a level.
func pack(t require.TestingT, raw []byte, level int) []byte {
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	require.NoError(t, err)
	_, err = w.Write(raw)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// texture is bytes that exercise all parts of the format: noise of some width, runs, and
// repetitions near and far.
func texture(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	out := make([]byte, 0, n)
	for len(out) < n {
		switch kind := random.IntN(4); {
		case kind == 0:
			width := 1 + random.IntN(256)
			for range 1 + random.IntN(5000) {
				out = append(out, byte(random.IntN(width)))
			}
		case kind == 1:
			out = append(out, bytes.Repeat([]byte{byte(random.IntN(256))}, 1+random.IntN(2000))...)
		case kind == 2 && len(out) > 0: // bell-shaped, so that codes have many lengths
			for range 1 + random.IntN(3000) {
				out = append(out, byte(int(30*random.NormFloat64())))
			}
		case len(out) > 0:
			from := max(0, len(out)-1-random.IntN(40_000))
			out = append(out, out[from:min(len(out), from+1+random.IntN(400))]...)
		}
	}
	return out[:n]
}

func TestWhatIsPackedIsUnpacked(t *testing.T) {
	var r inflate.Reader // one for all: nothing of a stream may remain
	rapid.Check(t, func(rt *rapid.T) {
		raw := texture(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 300_000).Draw(rt, "length"))
		packed := pack(rt, raw, rapid.SampledFrom([]int{zlib.HuffmanOnly, 0, 1, 4, 6, 9}).Draw(rt, "level"))
		size := rapid.IntRange(0, len(raw)).Draw(rt, "size")
		got, err := r.Unpack(packed, size, len(raw)-size)
		require.NoError(rt, err)
		require.True(rt, bytes.Equal(raw[:size], got))
		require.Equal(rt, size, cap(got), "nothing appended to it meets what was unpacked behind it")

		_, err = r.Unpack(packed, len(raw)+1, 0)
		require.ErrorIs(rt, err, io.ErrUnexpectedEOF)
		if size < len(raw) {
			_, err = r.Unpack(packed, size, len(raw)-size-1)
			require.ErrorIs(rt, err, inflate.ErrTooLong)
		}
	})
}

// The sums of the checksum stay below 64 bits however many bytes come, and whatever they are.
func TestChecksumsOfLongStreams(t *testing.T) {
	var r inflate.Reader
	for _, n := range []int{1 << 20, 3<<20 + 5} {
		raw := bytes.Repeat([]byte{0xff}, n)
		got, err := r.Unpack(pack(t, raw, 1), n, 0)
		require.NoError(t, err)
		require.True(t, bytes.Equal(raw, got))
	}
}

func TestStreamsThatEndTooEarly(t *testing.T) {
	raw := texture(3, 5000)
	for _, level := range []int{0, 1, 6, zlib.HuffmanOnly} {
		packed := pack(t, raw, level)
		for n := range packed {
			_, err := new(inflate.Reader).Unpack(packed[:n], len(raw), 0)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %d bytes at level %d", n, len(packed), level)
		}
	}
}

func TestStreamsThatAreNone(t *testing.T) {
	sound := pack(t, texture(1, 100), 6)
	changed := func(at int, b byte) []byte {
		out := bytes.Clone(sound)
		out[at] = b
		return out
	}
	for name, tt := range map[string]struct {
		stream []byte
		want   error
	}{
		"text":                {[]byte("not a stream"), inflate.ErrCorrupt},
		"other method":        {changed(0, 0x79), inflate.ErrCorrupt},
		"dictionary":          {[]byte{0x78, 0xbb, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1}, inflate.ErrCorrupt},
		"checksum":            {changed(len(sound)-1, sound[len(sound)-1]^1), inflate.ErrChecksum},
		"block of kind 3":     {[]byte{0x78, 0x9c, 7, 0, 0, 0}, inflate.ErrCorrupt},
		"stored, no compl.":   {[]byte{0x78, 0x9c, 1, 5, 0, 5, 0, 1, 2, 3, 4, 5}, inflate.ErrCorrupt},
		"copy from nowhere":   {[]byte{0x78, 0x9c, 3, 2, 0, 0, 0, 0, 0}, inflate.ErrCorrupt}, // fixed codes: length 3, distance 1
		"too many literals":   {[]byte{0x78, 0x9c, 0xfd, 0, 0, 0, 0, 0, 0}, inflate.ErrCorrupt},
		"lengths of no code":  {[]byte{0x78, 0x9c, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, inflate.ErrCorrupt},
		"an empty last block": {[]byte{0x78, 0x9c, 3, 0, 0, 0, 0, 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := new(inflate.Reader).Unpack(tt.stream, 0, 1000)
			require.ErrorIs(t, err, tt.want)
			if tt.want == nil {
				require.NoError(t, err)
			}
			_, theirs := standard(tt.stream)
			require.Equal(t, theirs == nil, err == nil)
		})
	}
}

// standard is the standard library's unpacking.
func standard(packed []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, 1<<24))
}

// FuzzAgreesWithTheStandardLibrary checks that both accept the same streams, and unpack them to the
// same bytes.
func FuzzAgreesWithTheStandardLibrary(f *testing.F) {
	for _, level := range []int{0, 1, 6, 9, zlib.HuffmanOnly} {
		for seed := range uint64(4) {
			f.Add(pack(f, texture(seed, 3000), level))
		}
	}
	var r inflate.Reader
	f.Fuzz(func(t *testing.T, packed []byte) {
		// Most changes break the header or the checksum, and would show nothing.
		if len(packed) > 2 {
			packed[0], packed[1] = 0x78, 0x9c
		}
		want, wantErr := standard(packed)
		if len(want) >= 1<<24 {
			return // they were stopped, not ended
		}
		got, err := r.Unpack(packed, len(want)/2, (len(want)+1)/2)
		if (wantErr == nil) != (err == nil) || errors.Is(wantErr, zlib.ErrChecksum) != errors.Is(err, inflate.ErrChecksum) {
			t.Fatalf("standard: %v; ours: %v", wantErr, err)
		}
		if !bytes.HasPrefix(want, got) {
			t.Fatalf("other bytes than %d of theirs", len(got))
		}
	})
}

func BenchmarkUnpack(b *testing.B) {
	// Differences of neighbouring 16-bit pixels, as full-size tiles hold them.
	random := rand.New(rand.NewPCG(1, 2))
	raw := make([]byte, 2<<20)
	for i := 0; i < len(raw); i += 2 {
		d := int(57 * random.NormFloat64())
		raw[i], raw[i+1] = byte(d), byte(d>>8)
	}
	packed := pack(b, raw, 6)
	b.SetBytes(int64(len(raw)))
	var r inflate.Reader
	for b.Loop() {
		_, err := r.Unpack(packed, len(raw), 0)
		require.NoError(b, err)
	}
}
