package farm_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/farm"
	core "tilth/core/farm"
	"tilth/ports"
)

// A file of as many features as the interface says is imported within the request; one more goes to the background.
func TestLargeFilesGoToTheBackground(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1_000, farm.MaxImportedAtOnce)
	l := newLand(t, 0)
	for _, tt := range []struct {
		features                  int
		preview, seen, background bool
	}{
		{1, false, false, false}, {farm.MaxImportedAtOnce, false, true, false}, {farm.MaxImportedAtOnce + 1, false, true, true}, {farm.MaxImportedAtOnce + 1, true, false, true},
		{farm.MaxImportedAtOnce + 1, true, true, false}, {farm.MaxSeenAtOnce + 1, true, true, true}, // what is looked at stores nothing
	} {
		in := &farm.Imports{Deps: l.world.Deps(), Objects: sweptDrawer{}, Outlines: featureFile(make([]ports.Feature, tt.features)), Fields: l.fields}
		report, err := in.Start(t.Context(), l.owner, core.ImportOptions{FarmID: l.farm.ID, Preview: tt.preview}, func() (farm.ImportFile, error) {
			return farm.ImportFile{Body: bytes.NewReader(nil), Seen: tt.seen}, nil
		})
		require.NoError(t, err)
		require.Equal(t, tt.background, report.Background(), tt)
		require.EqualValues(t, tt.features, report.Total)
		if !tt.background {
			require.Len(t, report.Judged, tt.features)
		}
	}
}

type sweptDrawer struct{ drawer }

func (sweptDrawer) RemoveOlder(_ context.Context, folder string, _ time.Time) error {
	if !strings.HasPrefix(folder, "imports") {
		panic(folder)
	}
	return nil
}
