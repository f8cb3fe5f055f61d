package orders

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/objects"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/app/soil/library"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/zoning"
	"tilth/ports"
	"tilth/tests/rig"
)

// file is a file of this machine as an object.
type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }

func openFile(t *testing.T, path string) ports.Object {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	info, err := f.Stat()
	require.NoError(t, err)
	return file{f, info.Size()}
}

// Rasters that the operator registers become layers of the orders whose land they reach; slope
// and wetness are derived from elevation. A raster that lies elsewhere is reported and dropped.
func TestRegisteredRasters(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		ctx, archive := t.Context(), rig.Archive(t)
		imagery, err := catalog.Open(archive.Dir)
		require.NoError(t, err)
		files, err := objects.Open("file:" + t.TempDir())
		require.NoError(t, err)
		rasters := surfaces.Stored{Objects: files}
		stock := &library.Layers{Store: w.db, Objects: files, Rasters: rasters, Clock: w.clock}
		found, err := filepath.Glob(filepath.Join(archive.Dir, "30TUM", "*", "B04.tif"))
		require.NoError(t, err)
		require.NotEmpty(t, found)

		add := func(name string, scale float64) error {
			_, err := stock.Add(ctx, library.New{Name: name, File: "B04.tif", Content: openFile(t, found[0]), Scale: scale, Offset: 2})
			return err
		}
		for name, scale := range map[string]float64{"Clay": 1, "ndvi_sd": 1, "": 1, "clay": math.NaN()} {
			require.True(t, fault.Is(add(name, scale), fault.Invalid), "%q × %g", name, scale)
		}
		_, err = stock.Add(ctx, library.New{Name: "clay", File: "x", Content: openFile(t, filepath.Join(archive.Dir, "catalog.json")), Scale: 1})
		require.True(t, fault.Is(err, fault.Invalid), "no raster: %v", err)
		require.NoError(t, add("clay", 0.5))
		require.Equal(t, "layer_exists", codeOf(t, add("clay", 1)))
		require.NoError(t, add("elevation", 0.1))
		require.NoError(t, add("sand", 3e-7))

		parcel := archive.Parcels[0].Boundary
		prepare := func(land geo.MultiPolygon) layer.Prepared {
			p := soil.LayerPreparer{Imagery: &satellite.Computer{Imagery: imagery}, Covariates: &soil.Covariates{Store: w.db, Files: rasters}, Clock: w.clock}
			made, err := p.Prepare(ctx, stratification.OrderState{Land: []stratification.Land{{FieldUUID: "a", Geometry: land}}})
			require.NoError(t, err)
			return made
		}
		made := prepare(parcel)
		byName := map[string]layer.PreparedLayer{}
		for _, l := range made.Layers {
			byName[l.Name] = l
		}
		for _, name := range []string{"ndvi_mean", "clay", "elevation", "slope", "twi"} {
			require.Contains(t, byName, name)
			require.Empty(t, byName[name].Dropped, name)
		}
		require.Contains(t, byName["sand"].Dropped, "noise", "what 32 bits leave of hardly anything carries no weight")
		require.Empty(t, byName["sand"].Values)
		require.NotEmpty(t, byName["clay"].Provenance.Checksum)
		require.NotContains(t, made.Notes[0], "only layers")
		surface, err := surfaces.Files{}.Surface(ctx, found[0], parcel)
		require.NoError(t, err)
		frame, err := stratification.OrderState{Land: []stratification.Land{{Geometry: parcel}}, Grid: made.Grid}.Frame(nil)
		require.NoError(t, err)
		for i := range frame.Cells {
			want := surface.At(frame.Centre(i))
			require.Equal(t, float64(float32(want*0.5+2)), byName["clay"].Values[i])
		}
		zones, err := zoning.Zones(ctx, &frame, made.Usable(), zoning.DefaultParams(), zoning.Work{Workers: 1})
		require.NoError(t, err)
		require.Empty(t, zones.Reason)

		gone, err := stock.Remove(ctx, "clay")
		require.NoError(t, err)
		_, err = files.Open(ctx, gone.Object)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = stock.Remove(ctx, "clay")
		require.True(t, fault.Is(err, fault.NotFound))
		left, err := stock.List(ctx)
		require.NoError(t, err)
		require.Len(t, left, 2)

		// An order whose layers make no map fails, costs nothing, and reports what each layer lacks.
		w.worker.Layers = &soil.LayerPreparer{Imagery: &satellite.Computer{Imagery: imagery}, Covariates: &soil.Covariates{Store: w.db, Files: rasters}, Clock: w.clock}
		e := w.estate(1000_00)
		placed, err := w.place(e)
		require.NoError(t, err)
		w.work()
		failed := w.order(e, placed.ID)
		require.Equal(t, stratification.OrderFailed, failed.Status)
		for _, says := range []string{"No map of zones can be made", "ndvi_mean: no calendar year", "elevation: B04.tif does not reach the boundary.", "sand: B04.tif does not reach the boundary."} {
			require.Contains(t, failed.Reason, says)
		}
		wallet, _ := w.books(e)
		require.Equal(t, credit.Wallet{CompanyID: e.who.CompanyID, Balance: 1000_00}, wallet)
	})
}
