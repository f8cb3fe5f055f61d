package imagery_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/app/satellite"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// A thousand fields of one tile, ordered by many callers at the same time, fetch each
// block once: at most 1.05 × (the distinct blocks they need + 16 KiB a file).
func TestAThousandFieldsFetchEachBlockOnce(t *testing.T) {
	const across, workers = 32, 8
	s := newStore(t, largeScene("clear", "2025-06-01T10:50:00Z", 4), largeScene("cloudy", "2025-06-11T10:50:00Z", 9))
	imagery := s.client(t)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(t, err)
	step := float64(large.Width) * large.PixelX / across
	fields := make(chan satellite.SeriesRequest, across*across)
	for i := range across * across {
		x, y := large.OriginX+step*float64(i%across), large.OriginY-step*float64(i/across)
		fields <- satellite.SeriesRequest{Boundary: rectangle(t, large.EPSG, x+100, y-200, x+200, y-100), Index: index, From: day("2025-06-01"), To: day("2025-06-30")}
	}
	close(fields)
	var crowd sync.WaitGroup
	for range workers {
		crowd.Go(func() {
			for request := range fields {
				got, err := (&satellite.Computer{Imagery: imagery}).Compute(t.Context(), request)
				if err != nil || len(got.Observations) != 1 || len(got.Rejected) != 1 {
					t.Errorf("%v: %+v", err, got)
				}
			}
		})
	}
	crowd.Wait()
	// They need every block: 64 of each 10 m band, which hold 16 bits, and 16 of the classes.
	needed := 2*64*2*tileBytes + 16*tileBytes + 3*headerRead
	got := s.total("clear")
	require.LessOrEqual(t, float64(got), 1.05*float64(needed))
	require.Greater(t, got, needed-3*headerRead, "the pixels did come over the wire")
	// Of the cloudy scene they need the classes, and the header of the band that defines the grid.
	require.LessOrEqual(t, float64(s.total("cloudy")), 1.05*float64(16*tileBytes+2*headerRead))
	t.Logf("%d fields: %d bytes, %.3f of the bound's base", across*across, got, float64(got)/float64(needed))
}

// Twenty fields in one block, ordered one after another, cost at most 1.05 × the bytes of one, although memory holds
// the blocks of hardly one date: the others are on disk. A restarted server reads only headers.
func TestFieldsOfOneBlockReadItOnce(t *testing.T) {
	var scenes []made
	for i := range 8 {
		scenes = append(scenes, largeScene(fmt.Sprint("date-", i), fmt.Sprintf("2025-06-%02dT10:50:00Z", 1+3*i), 4))
	}
	s := newStore(t, scenes...)
	dir := t.TempDir()
	server := func() ports.Imagery {
		return s.reading(t, cog.NewReader(5*tileBytes).KeepOnDisk(dir, 64<<20, slog.New(slog.DiscardHandler)))
	}
	imagery, one, all := server(), 0, 0
	for i := range 20 {
		x, y := large.OriginX+2*128*10+50*float64(i)+20, large.OriginY-4*128*10-50*float64(i)-20
		got := compute(t, imagery, rectangle(t, large.EPSG, x, y-200, x+200, y), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
		require.Len(t, got.Observations, 8)
		if all += s.total(""); i == 0 {
			one = all
		}
	}
	require.Positive(t, one)
	require.LessOrEqual(t, float64(all), 1.05*float64(one))

	x, y := large.OriginX+2*128*10+300, large.OriginY-4*128*10-300
	got := compute(t, server(), rectangle(t, large.EPSG, x, y-200, x+200, y), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Len(t, got.Observations, 8)
	require.LessOrEqual(t, s.total(""), 8*3*headerRead)
}

// Maps of fields cost at most 1.2 × the bytes of their profiles, with nothing cached before either, even where fields lie at the
// edges of blocks. Profiles after maps, as people order both, cost nothing more. BENCH_FIELDS=32 takes 1,024 fields instead of 64.
func TestMapsCostTheBytesOfProfiles(t *testing.T) {
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(t, err)
	across := 8
	if more, err := strconv.Atoi(os.Getenv("BENCH_FIELDS")); err == nil {
		across = more
	}
	s := newStore(t, largeScene("clear", "2025-06-01T10:50:00Z", 4), largeScene("cloudy", "2025-06-11T10:50:00Z", 9))
	side := float64(large.Width) * large.PixelX
	step := side / float64(across)
	var requests []satellite.SeriesRequest
	for i := range across * across {
		// From block to block, closer and closer to the block's edge.
		down, right := float64(i/across), float64(i%across)
		x, y := large.OriginX+min(step*right+10*down, side-320), large.OriginY-min(step*down+10*right, side-320)
		requests = append(requests, satellite.SeriesRequest{
			Boundary: rectangle(t, large.EPSG, x+20, y-320, x+320, y-20), Index: index, From: day("2025-06-01"), To: day("2025-06-30"),
		})
	}
	profiles := func(of *satellite.Computer) int {
		for _, request := range requests {
			got, err := of.Compute(t.Context(), request)
			require.NoError(t, err)
			require.Len(t, got.Observations, 1)
		}
		return s.total("")
	}
	maps := func(of *satellite.Computer) int {
		for _, request := range requests {
			var layers atomic.Int64
			got, err := of.Layers(t.Context(), satellite.LayerRequest{SeriesRequest: request}, func(context.Context, indexmap.Layer) error {
				layers.Add(1)
				return nil
			})
			require.NoError(t, err)
			require.Len(t, got.Observations, 1)
			require.EqualValues(t, 1, layers.Load())
		}
		return s.total("")
	}
	// One server for all, and one for each, where sharing blocks saves nothing.
	together := profiles(&satellite.Computer{Imagery: s.reading(t, cog.NewReader(cog.DefaultCache))})
	imagery := &satellite.Computer{Imagery: s.reading(t, cog.NewReader(cog.DefaultCache))}
	mapped := maps(imagery)
	require.Positive(t, together)
	require.InDelta(t, together, mapped, 0.2*float64(together))
	require.LessOrEqual(t, float64(profiles(imagery)), 0.01*float64(together), "their blocks are there")
	all, alone, mappedAlone := requests, 0, 0
	for i := 0; i < len(all); i += len(all) / 64 { // each has connections of its own
		requests = all[i : i+1]
		alone += profiles(&satellite.Computer{Imagery: s.reading(t, cog.NewReader(cog.DefaultCache))})
		mappedAlone += maps(&satellite.Computer{Imagery: s.reading(t, cog.NewReader(cog.DefaultCache))})
	}
	require.InDelta(t, alone, mappedAlone, 0.2*float64(alone))
	t.Logf("%d fields: maps cost %.3f × the bytes of profiles together, %.3f × one by one (%d and %d bytes of profiles)",
		len(all), float64(mapped)/float64(together), float64(mappedAlone)/float64(alone), together, alone)
}
