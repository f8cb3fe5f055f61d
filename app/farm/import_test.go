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
	for features, background := range map[int]bool{1: false, farm.MaxImportedAtOnce: false, farm.MaxImportedAtOnce + 1: true} {
		in := &farm.Imports{Deps: l.world.Deps(), Objects: sweptDrawer{}, Outlines: featureFile(make([]ports.Feature, features)), Fields: l.fields}
		report, err := in.Start(t.Context(), l.owner, core.ImportOptions{FarmID: l.farm.ID}, func() (farm.ImportFile, error) {
			return farm.ImportFile{Body: bytes.NewReader(nil)}, nil
		})
		require.NoError(t, err)
		require.Equal(t, background, report.Background(), features)
		require.EqualValues(t, features, report.Total)
		if !background {
			require.Len(t, report.Judged, features)
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
