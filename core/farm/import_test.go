package farm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/record"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func judged(verdicts ...batch.Outcome) []farm.Judged {
	out := make([]farm.Judged, len(verdicts))
	for i, v := range verdicts {
		out[i] = farm.Judged{Index: int64(i), Verdict: v}
	}
	return out
}

func newImport(o farm.ImportOptions) farm.Import {
	return farm.NewImport(o, record.Ref{ID: 1}, "file", "", 4, noon)
}

func TestImportCounts(t *testing.T) {
	i := newImport(farm.ImportOptions{})
	require.True(t, i.Open())
	require.False(t, i.Checking)
	i.Advance(judged(batch.Create, batch.Update), 0, noon.Add(time.Second))
	require.Equal(t, batch.Running, i.Status)
	i.Advance(judged(batch.Skip, batch.Fail), 0, noon.Add(2*time.Second))
	require.EqualValues(t, 4, i.Done)
	require.Equal(t, map[batch.Outcome]int64{batch.Create: 1, batch.Update: 1, batch.Skip: 1, batch.Fail: 1}, i.Tally)
	i.EndPass(noon.Add(3 * time.Second))
	require.False(t, i.Open())
	require.Equal(t, batch.Completed, i.Status)
	require.Equal(t, noon.Add(3*time.Second), i.UpdatedAt)
	require.False(t, i.Open())
}

func TestAtomicImportChecksBeforeItStores(t *testing.T) {
	sound := newImport(farm.ImportOptions{Atomic: true})
	require.True(t, sound.Checking)
	sound.Advance(judged(batch.Create, batch.Skip), 0, noon)
	sound.EndPass(noon)
	require.True(t, sound.Open(), "a second pass stores")
	require.False(t, sound.Checking)
	require.Zero(t, sound.Done)
	require.Empty(t, sound.Tally)
	sound.Advance(judged(batch.Create, batch.Skip), 0, noon)
	sound.EndPass(noon)
	require.False(t, sound.Open())
	require.Equal(t, batch.Completed, sound.Status)

	bad := newImport(farm.ImportOptions{Atomic: true})
	bad.Advance(judged(batch.Create, batch.Fail), 0, noon)
	bad.EndPass(noon)
	require.False(t, bad.Open())
	require.Equal(t, batch.Failed, bad.Status)
	require.Contains(t, bad.Reason, "nothing was stored")
}

func TestPreviewNeverStores(t *testing.T) {
	for _, atomic := range []bool{false, true} {
		i := newImport(farm.ImportOptions{Preview: true, Atomic: atomic})
		i.Advance(judged(batch.Fail), 0, noon)
		require.True(t, i.Checking)
		i.EndPass(noon)
		require.False(t, i.Open())
		require.Equal(t, batch.Completed, i.Status, "a preview that finds errors has done its work")
	}
}
