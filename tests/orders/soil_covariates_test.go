package orders

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/imagery/synthetic"
	"tilth/adapters/objects"
	"tilth/app/soil"
	"tilth/app/soil/library"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	soilframe "tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/ports"
	"tilth/tests/rig"
)

// noRasters is a store that is only asked for registered rasters; there are none.
type noRasters struct{ ports.Store }

func (noRasters) Read(context.Context, func(context.Context, ports.Repos) error) error { return nil }

// The archive's relief is known: a plane whose slope has a tangent of 0.025, and a hill.
func TestReliefOfTheArchive(t *testing.T) {
	archive := rig.Archive(t)
	imagery, err := catalog.Open(archive.Dir)
	require.NoError(t, err)
	defer imagery.Close()
	c := soil.Covariates{Store: noRasters{}, Elevations: imagery}

	var land []geo.MultiPolygon
	for _, p := range archive.Parcels {
		land = append(land, p.Boundary)
	}
	frame, err := soilframe.New(nil, land, soilframe.Options{EdgeMask: 1})
	require.NoError(t, err)
	layers, notes, err := c.Of(t.Context(), access.Own(1), &frame)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Len(t, layers, 3)
	for i, l := range layers {
		require.Equal(t, layer.ReliefLayers[i], l.Name)
		require.Empty(t, l.Dropped)
		require.Equal(t, 1.0, l.ValidShare)
		require.Equal(t, layer.FromElevation, l.Provenance.Kind)
		require.Equal(t, []string{"SYNTHETIC_ELEVATION"}, l.Provenance.Scenes)
		require.Len(t, l.Provenance.Checksum, 64)
		require.True(t, l.Provenance.Synthetic)
	}
	hillTop, plane, hill := geo.Position{X: 399_960, Y: 4_625_700}, 0, 0
	for i := range frame.Cells {
		centre := frame.Centre(i)
		far := math.Hypot(centre.X-hillTop.X, centre.Y-hillTop.Y)
		// A pixel of the model is 30 m wide: between its centres the hill's curve is cut off by
		// at most 12 m / (450 m)² × (15 m)² × 2, and its foot, where the slope breaks by
		// 0.053, by 0.8 m.
		near := 0.03
		if math.Abs(far-450) < 45 {
			near = 0.8
		}
		require.InDelta(t, synthetic.HeightAt(centre), layers[0].Values[i], near)
		switch {
		case far > 450+100: // beyond the windows that touch the hill
			plane++
			require.InDelta(t, math.Atan(0.025)*180/math.Pi, layers[1].Values[i], 0.001)
		case far < 450-100:
			hill++
			east, south := 0.015-2*12*(centre.X-hillTop.X)/(450*450), 0.020+2*12*(centre.Y-hillTop.Y)/(450*450)
			require.InDelta(t, math.Atan(math.Hypot(east, south))*180/math.Pi, layers[1].Values[i], 0.05)
		}
	}
	require.Greater(t, plane, 1000)
	require.Greater(t, hill, 1000)
	again, _, err := c.Of(t.Context(), access.Own(1), &frame)
	require.NoError(t, err)
	require.Equal(t, layers, again)

	elsewhere, err := soilframe.New(nil, []geo.MultiPolygon{rig.Square(300, 0)}, soilframe.Options{})
	require.NoError(t, err)
	layers, notes, err = c.Of(t.Context(), access.Own(1), &elsewhere)
	require.NoError(t, err)
	require.Empty(t, layers)
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "no elevation model")
}

// A raster of one company is visible only to its orders, and to the operator.
func TestRasterOfOneCompany(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		archive := rig.Archive(t)
		mine, theirs := w.estate(credit.Amount(0)), w.estate(credit.Amount(0))
		files, err := objects.Open("file:" + t.TempDir())
		require.NoError(t, err)
		rasters := surfaces.Stored{Objects: files}
		stock := &library.Layers{Store: w.db, Objects: files, Rasters: rasters, Clock: w.clock}
		heights := filepath.Join(archive.Dir, "elevation", "heights.tif")
		add := func(in library.New) error {
			in.File, in.Content, in.Scale = "heights.tif", openFile(t, heights), 1
			_, err := stock.Add(t.Context(), in)
			return err
		}
		require.NoError(t, add(library.New{Name: "ec", CompanyID: mine.scope.Company(), Description: "mS/m", Coarse: true, Classes: true}))
		require.NoError(t, add(library.New{Name: "clay_0_30"}))
		require.True(t, fault.Is(add(library.New{Name: "sand", CompanyID: 999_999}), fault.NotFound))
		require.True(t, fault.Is(add(library.New{Name: "twi"}), fault.Invalid))

		frame, err := soilframe.New(nil, []geo.MultiPolygon{archive.Parcels[0].Boundary}, soilframe.Options{})
		require.NoError(t, err)
		c := soil.Covariates{Store: w.db, Files: rasters}
		for scope, want := range map[access.Scope][]string{mine.scope: {"clay_0_30", "ec"}, theirs.scope: {"clay_0_30"}} {
			layers, _, err := c.Of(t.Context(), scope, &frame)
			require.NoError(t, err)
			var names []string
			for _, l := range layers {
				require.Empty(t, l.Dropped)
				require.Equal(t, l.Name == "ec", l.Coarse)
				names = append(names, l.Name)
			}
			require.Equal(t, want, names)
		}
		all, err := stock.List(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 2)
		require.Equal(t, "mS/m", all[1].Description)
		require.Equal(t, []bool{false, true}, []bool{all[0].Classes, all[1].Classes})
		require.Equal(t, mine.scope.Company(), all[1].CompanyID)

		// A missing file costs its layer, not the order.
		require.NoError(t, files.Remove(t.Context(), all[0].Object))
		layers, _, err := c.Of(t.Context(), theirs.scope, &frame)
		require.NoError(t, err)
		require.NotEmpty(t, layers[0].Dropped)
	})
}
