package cog

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"tilth/adapters/imagery/internal/keep"
)

const (
	maxRun     = 8 << 20   // bytes of one request for neighbouring blocks
	maxGap     = 4 << 10   // bytes between blocks that are still neighbours
	maxLoading = 128 << 20 // bytes of blocks of all files, packed and unpacked, on their way to a cache
)

// loading bounds the memory of blocks on their way to a cache.
var loading = semaphore.NewWeighted(maxLoading)

// load fetches and unpacks blocks: neighbours in the file with one request, the other ones concurrently.
func (f *File) load(ctx context.Context, blocks []key) ([]keep.Value, error) {
	out := make([]keep.Value, len(blocks))
	var places []int // of blocks, in the order of the file
	for i, k := range blocks {
		if err := f.checkStored(k.block, f.rows(k.block)); err != nil {
			return nil, err
		}
		places = append(places, i)
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(f.offsets[blocks[a].block], f.offsets[blocks[b].block]) })
	fetching, ctx := errgroup.WithContext(ctx)
	for len(places) > 0 {
		start, end, n := f.run(blocks, places)
		run := places[:n]
		fetching.Go(func() error { return f.loadRun(ctx, start, end, blocks, run, out) })
		places = places[n:]
	}
	return out, fetching.Wait()
}

// loadRun fetches the bytes from start to end, and unpacks the blocks at the places in them.
func (f *File) loadRun(ctx context.Context, start, end int64, blocks []key, places []int, out []keep.Value) error {
	weight := end - start
	for _, i := range places {
		weight += int64(f.rows(blocks[i].block)) * int64(f.rowBytes())
	}
	weight = min(weight, maxLoading)
	if err := loading.Acquire(ctx, weight); err != nil {
		return err
	}
	defer loading.Release(weight)
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	packed, err := f.fetch(ctx, sized(buffer, int(end-start)), start)
	if err != nil {
		return err
	}
	for _, i := range places {
		index := blocks[i].block
		raw, err := f.unpack(packed[f.offsets[index]-start:][:f.byteCounts[index]], f.rows(index))
		if err != nil {
			return f.undecodable(index, err)
		}
		f.disk.Put(ctx, blocks[i].String(), raw, f.rowBytes())
		out[i] = keep.Value{Data: raw, Cost: int64(len(raw))}
	}
	return nil
}

// run returns the span of the first n places whose blocks lie next to each other.
func (f *File) run(blocks []key, places []int) (start, end int64, n int) {
	start = f.offsets[blocks[places[0]].block]
	end = start
	for _, i := range places {
		from := f.offsets[blocks[i].block]
		to := max(end, from+f.byteCounts[blocks[i].block])
		if n > 0 && (from-end > maxGap || to-start > maxRun) {
			break
		}
		end = to
		n++
	}
	return start, end, n
}

// checkStored refuses an impossible block of that many rows before memory is allocated for it.
func (f *File) checkStored(block, rows int) error {
	off, n, size := f.offsets[block], f.byteCounts[block], f.source.Size()
	switch {
	case off < 0 || n < 0 || off > math.MaxInt64-n || (size >= 0 && off+n > size):
		return broken(f.name, "block %d lies beyond the end of the file", block)
	case n > maxPacked(int64(rows)*int64(f.rowBytes())):
		return broken(f.name, "block %d claims %d bytes, more than its pixels can take", block, n)
	default:
		return nil
	}
}

// keepHead keeps the state of the file, and the part read from its beginning on, where blocks begin
// in that part.
func (h *header) keepHead(r *headerReader) error {
	if s, ok := r.source.(changeable); ok {
		h.state = s.state()
	}
	head := r.pieces[0] // with the signature
	for i, off := range h.offsets {
		if h.byteCounts[i] > 0 && off >= 0 && off < head.end() {
			h.head = head.bytes
			break
		}
	}
	return nil
}

// fetch fills buf with the bytes of the file from start on.
func (f *File) fetch(ctx context.Context, buf []byte, start int64) ([]byte, error) {
	had := 0
	if start < int64(len(f.head)) {
		had = copy(buf, f.head[start:])
	}
	if had == len(buf) {
		return buf, nil
	}
	n, err := f.source.ReadAt(ctx, buf[had:], start+int64(had))
	if had+n == len(buf) {
		return buf, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil, broken(f.name, "it ends inside a block")
	}
	return nil, err
}

func (f *File) undecodable(index int, err error) error {
	return broken(f.name, "block %d does not decode", index).Because(err)
}
