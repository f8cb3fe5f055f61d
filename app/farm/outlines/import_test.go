package outlines_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/batches"
	farmapp "tilth/app/farm"
	"tilth/app/farm/outlines"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
	"tilth/tests/fields"
	"tilth/tests/memory"
)

// land is a farm that files are imported into.
type land struct {
	world  *memory.World
	owner  access.Principal
	fields *farmapp.Records[farm.Field]
	farm   farm.Farm
}

func newLand(t *testing.T) *land {
	t.Helper()
	w := memory.New()
	l := &land{world: w, owner: w.Company(1), fields: farmapp.NewFields(w.Deps(), geo.DefaultLimits())}
	made, err := farmapp.NewFarms(w.Deps()).Create(t.Context(), l.owner, []farmapp.Draft[farm.Farm]{{Record: farm.Farm{Name: "Home"}}}, false)
	require.NoError(t, err)
	l.farm = made[0]
	return l
}

// A file with as many features as the interface allows is imported within the request; one more sends it to the background.
func TestLargeFilesGoToTheBackground(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1_000, outlines.MaxImportedAtOnce)
	l := newLand(t)
	for _, tt := range []struct {
		features                  int
		preview, seen, background bool
	}{
		{1, false, false, false}, {outlines.MaxImportedAtOnce, false, true, false}, {outlines.MaxImportedAtOnce + 1, false, true, true}, {outlines.MaxImportedAtOnce + 1, true, false, true},
		{outlines.MaxImportedAtOnce + 1, true, true, false}, {outlines.MaxSeenAtOnce + 1, true, true, true}, // a preview that is looked at stores nothing
	} {
		in := &outlines.Imports{Deps: l.world.Deps(), Objects: memory.Drawer{}, Outlines: memory.Features(make([]ports.Feature, tt.features)), Fields: l.fields}
		report, err := in.Start(t.Context(), l.owner, farm.ImportOptions{FarmID: l.farm.ID, Preview: tt.preview}, func() (outlines.ImportFile, error) {
			return outlines.ImportFile{Body: bytes.NewReader(nil), Seen: tt.seen}, nil
		})
		require.NoError(t, err)
		require.Equal(t, tt.background, report.Background(), tt)
		require.EqualValues(t, tt.features, report.Total)
		if !tt.background {
			require.Len(t, report.Judged, tt.features)
		}
	}
}

// A preview that is judged in pieces names overlapping features of other pieces: new ones, which have no ids, and existing ones only
// once.
func TestAPreviewSeesOverlapsAcrossItsPieces(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	at := func(name string, x float64) ports.Feature {
		return ports.Feature{Boundary: fields.Round(t, x, 0, 0.001, 12), Geometry: "Polygon", Attributes: map[string]string{"name": name, "key": name}}
	}
	steps := int64(0)
	bring := func(preview bool, features ...ports.Feature) []farm.Judged {
		in := &outlines.Imports{
			Deps: l.world.Deps(), Objects: memory.Drawer{}, Outlines: memory.Features(features), Fields: l.fields, Sizes: batches.Sizes{Piece: 2}, AcrossSteps: steps,
		}
		options := farm.ImportOptions{FarmID: l.farm.ID, Preview: preview, Mapping: farm.Mapping{"external_id": {Properties: []string{"key"}}}}
		report, err := in.Start(t.Context(), l.owner, options, func() (outlines.ImportFile, error) {
			return outlines.ImportFile{Body: bytes.NewReader(nil), Seen: true}, nil
		})
		require.NoError(t, err)
		return report.Judged
	}
	there := bring(false, at("there", 0))[0].FieldID
	judged := bring(true, at("a", 0.0015), at("b", 0.1), at("far", 0.5), at("c", 0.1015), at("there", 0), at("d", 0.099))
	named := func(i int) (out []record.Ref) { return judged[i].Overlaps.Fields }
	require.Equal(t, []record.Ref{{ID: there, Name: "there"}}, named(0)) // as stored; the file has it unchanged
	require.Equal(t, []record.Ref{{Name: "c"}, {Name: "d"}}, named(1))
	require.Empty(t, named(2))
	require.Equal(t, []record.Ref{{Name: "b"}}, named(3))
	require.Equal(t, []record.Ref{{Name: "b"}}, named(5))
	for _, j := range judged {
		require.False(t, j.Overlaps.Pending)
	}

	// If not all can be compared, each one says that it may overlap others.
	steps = 1
	for _, j := range bring(true, at("a", 0.0015), at("b", 0.1), at("far", 0.5), at("c", 0.1015)) {
		require.True(t, j.Overlaps.Pending)
	}
}
