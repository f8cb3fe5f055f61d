package cog_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/vegetation"
)

// tiled is a square file of DEFLATE tiles, and its pixels.
func tiled(t testing.TB, side, block int) ([]byte, []uint16) {
	dn := scenery(side, side, 16)
	return spec{width: side, height: side, tiled: true, blockW: block, blockH: block, codec: 8}.encode(t, dn), dn
}

func TestSmallHeaderIsOneRequest(t *testing.T) {
	data, _ := tiled(t, 32, 16)
	_, source := open(t, data)
	require.Equal(t, [][2]int64{{0, int64(len(data))}}, source.reads)
	unknown := &memory{data: data, address: "y", hidden: true}
	_, err := cog.NewReader(1<<20).Open(t.Context(), unknown, "x.tif")
	require.NoError(t, err)
	require.Equal(t, [][2]int64{{0, 16 << 10}}, unknown.reads)
}

func TestNeighbouringBlocksAreOneRequestAndReadOnce(t *testing.T) {
	data, dn := tiled(t, 256, 64)
	f, source := open(t, data)
	source.reads = nil
	// The middle 2 × 2 blocks: two runs, one per row of blocks.
	middle := vegetation.Window{Col: 80, Row: 80, Width: 80, Height: 80}
	got, err := f.Read(t.Context(), middle)
	require.NoError(t, err)
	require.Equal(t, dn[80*256+80], got.DN[0])
	require.LessOrEqual(t, len(source.reads), 2)
	source.reads = nil
	_, err = f.Read(t.Context(), middle)
	require.NoError(t, err)
	require.Empty(t, source.reads, "kept")
	_, err = f.Read(t.Context(), whole(f))
	require.NoError(t, err)
	require.NotEmpty(t, source.reads)
	for _, r := range source.reads {
		require.Positive(t, r[1])
	}
}

func TestBlocksFarApartAreNotReadTogether(t *testing.T) {
	s := spec{width: 64, height: 2048, tiled: true, blockW: 64, blockH: 64, codec: 1}
	f, source := open(t, s.encode(t, scenery(64, 2048, 16)))
	for _, row := range []int{0, 2000} {
		_, err := f.Read(t.Context(), vegetation.Window{Row: row, Width: 64, Height: 1})
		require.NoError(t, err)
	}
	source.reads = nil
	// The first and the last block are kept, what lies between is one run, whose beginning came with the header.
	_, err := f.Read(t.Context(), whole(f))
	require.NoError(t, err)
	require.Equal(t, [][2]int64{{16 << 10, 8 + 31*64*64*2 - 16<<10}}, source.reads)
}

func TestCacheIsBounded(t *testing.T) {
	const side = 128
	s := spec{width: side, height: 4 * side, tiled: true, blockW: side, blockH: side, codec: 1}
	dn := scenery(side, 4*side, 16)
	source := &memory{data: s.encode(t, dn), address: "x"}
	f, err := cog.NewReader(2*2*side*side).Open(t.Context(), source, "x.tif") // room for two blocks
	require.NoError(t, err)
	read := func(block int) int {
		source.reads = nil
		got, err := f.Read(t.Context(), vegetation.Window{Row: side * block, Width: side, Height: side})
		require.NoError(t, err)
		require.Equal(t, dn[side*side*block:side*side*(block+1)], got.DN)
		return len(source.reads)
	}
	require.Equal(t, []int{1, 1, 0, 0, 1, 0, 1}, []int{read(0), read(1), read(0), read(1), read(2), read(1), read(0)},
		"the block that was not used for longest goes first")
}

// gated lets reads through one token at a time.
type gated struct {
	memory
	gate chan struct{}
}

func (g *gated) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	select {
	case <-g.gate:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return g.memory.ReadAt(ctx, p, off)
}

func TestManyReadersOfOneBlockAreOneRequest(t *testing.T) {
	data, dn := tiled(t, 128, 128) // larger than the first request
	synctest.Test(t, func(t *testing.T) {
		source := &gated{memory: memory{data: data, address: "x"}, gate: make(chan struct{})}
		reader := cog.NewReader(1 << 20)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				f, err := reader.Open(t.Context(), source, "x.tif")
				if !assertNoError(t, err) {
					return
				}
				got, err := f.Read(t.Context(), whole(f))
				if assertNoError(t, err) {
					require.Equal(t, dn, got.DN)
				}
			})
		}
		for range 3 { // the beginning, the directory at the end, one block
			synctest.Wait()
			source.gate <- struct{}{}
		}
		wg.Wait()
		require.Len(t, source.reads, 3)
	})
}

func assertNoError(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

func TestACallerWhoLeavesDoesNotSpoilTheOthers(t *testing.T) {
	data, dn := tiled(t, 128, 128) // larger than the first request
	synctest.Test(t, func(t *testing.T) {
		source := &gated{memory: memory{data: data, address: "x"}, gate: make(chan struct{}, 2)}
		reader := cog.NewReader(1 << 20)
		source.gate <- struct{}{}
		source.gate <- struct{}{}
		f, err := reader.Open(t.Context(), source, "x.tif")
		require.NoError(t, err)
		first, leave := context.WithCancel(t.Context())
		left, stayed := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := f.Read(first, whole(f))
			left <- err
		}()
		synctest.Wait() // the first is loading
		go func() {
			got, err := f.Read(t.Context(), whole(f))
			if err == nil && fmt.Sprint(got.DN) != fmt.Sprint(dn) {
				err = fmt.Errorf("other pixels")
			}
			stayed <- err
		}()
		synctest.Wait() // the second waits for the first
		leave()
		require.ErrorIs(t, <-left, context.Canceled)
		source.gate <- struct{}{}
		require.NoError(t, <-stayed)
	})
}
