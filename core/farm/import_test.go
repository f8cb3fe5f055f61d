package farm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/farm"
	"tilth/core/record"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func judged(verdicts ...farm.Verdict) []farm.Judged {
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
	i.Advance(judged(farm.VerdictCreate, farm.VerdictUpdate), noon.Add(time.Second))
	require.Equal(t, farm.ImportRunning, i.Status)
	i.Advance(judged(farm.VerdictSkip, farm.VerdictFail), noon.Add(2*time.Second))
	require.EqualValues(t, 4, i.Done)
	require.Equal(t, farm.Tally{Created: 1, Updated: 1, Skipped: 1, Failed: 1}, i.Tally)
	require.False(t, i.EndPass(noon.Add(3*time.Second)))
	require.Equal(t, farm.ImportCompleted, i.Status)
	require.Equal(t, noon.Add(3*time.Second), i.UpdatedAt)
	require.False(t, i.Open())
}

func TestAtomicImportChecksBeforeItStores(t *testing.T) {
	sound := newImport(farm.ImportOptions{Atomic: true})
	require.True(t, sound.Checking)
	sound.Advance(judged(farm.VerdictCreate, farm.VerdictSkip), noon)
	require.True(t, sound.EndPass(noon), "a second pass stores")
	require.False(t, sound.Checking)
	require.Zero(t, sound.Done)
	require.Zero(t, sound.Tally)
	sound.Advance(judged(farm.VerdictCreate, farm.VerdictSkip), noon)
	require.False(t, sound.EndPass(noon))
	require.Equal(t, farm.ImportCompleted, sound.Status)

	bad := newImport(farm.ImportOptions{Atomic: true})
	bad.Advance(judged(farm.VerdictCreate, farm.VerdictFail), noon)
	require.False(t, bad.EndPass(noon))
	require.Equal(t, farm.ImportFailed, bad.Status)
	require.Contains(t, bad.Reason, "nothing was stored")
}

func TestPreviewNeverStores(t *testing.T) {
	for _, atomic := range []bool{false, true} {
		i := newImport(farm.ImportOptions{Preview: true, Atomic: atomic})
		i.Advance(judged(farm.VerdictFail), noon)
		require.True(t, i.Checking)
		require.False(t, i.EndPass(noon))
		require.Equal(t, farm.ImportCompleted, i.Status, "a preview that finds errors has done its work")
	}
}
