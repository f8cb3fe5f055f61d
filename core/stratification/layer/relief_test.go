package layer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

// around returns a square field around a position in degrees; half is half of its side in metres.
func around(lonlat geo.Position, half float64) geo.MultiPolygon {
	dy := half / metresPerDegree
	dx := dy / math.Cos(lonlat.Y*math.Pi/180)
	return geo.MultiPolygon{degreeBox(lonlat.X-dx, lonlat.Y-dy, lonlat.X+dx, lonlat.Y+dy)}
}

// tile returns a tile in degrees with pixels of one arc second, whose values are a function of longitude and latitude.
func tile(source string, west, north float64, cols, rows int, z func(lon, lat float64) float64) Surface {
	const second = 1.0 / 3600
	s := Surface{EPSG: Degrees, OriginX: west, OriginY: north, CellX: second, CellY: second, Cols: cols, Rows: rows, Values: make([]float64, cols*rows), Source: source}
	for i := range s.Values {
		s.Values[i] = z(west+(float64(i%cols)+0.5)*second, north-(float64(i/cols)+0.5)*second)
	}
	return s
}

// A plane that rises northwards by 0.1 m per metre, in four tiles whose seams go through the
// field: on both hemispheres, and across the antimeridian.
func TestReliefAcrossTiles(t *testing.T) {
	for name, centre := range map[string]geo.Position{
		"north": {X: 12, Y: 45}, "south": {X: -62, Y: -31}, "antimeridian": {X: 180, Y: -17},
	} {
		t.Run(name, func(t *testing.T) {
			field := around(centre, 300)
			f, err := frame.New(nil, []geo.MultiPolygon{field}, frame.Options{EPSG: geo.UTMZoneEPSG(geo.Position{X: centre.X - 0.1, Y: centre.Y})})
			require.NoError(t, err)
			rise := func(_, lat float64) float64 { return 500 + 0.1*metresPerDegree*(lat-centre.Y) }
			const side = 200.0 / 3600
			east := centre.X
			if east == 180 {
				east = -180
			}
			models := []Surface{
				tile("a", centre.X-side, centre.Y+side, 200, 200, rise), tile("b", east, centre.Y+side, 200, 200, rise),
				tile("c", centre.X-side, centre.Y, 200, 200, rise), tile("d", east, centre.Y, 200, 200, rise),
			}
			r := NewFrameRelief(&f)
			for _, region := range Regions(&f) {
				require.NoError(t, r.Add(region, models))
			}
			require.Equal(t, 30.0, r.Pixel())
			layers := r.Layers("test")
			for i := range f.Cells {
				lonlat, _ := f.LonLat(f.Centre(i))
				require.InDelta(t, rise(0, lonlat.Y), layers[0].Values[i], 1e-6, "elevation")
				// A degree of latitude is 110.6 to 111.7 km, not metresPerDegree; the grid's
				// scale is off by at most 0.1 %.
				require.InDelta(t, math.Atan(0.1)*180/math.Pi, layers[1].Values[i], 0.12, "slope")
				require.False(t, math.IsNaN(layers[2].Values[i]))
			}
		})
	}
}

func TestTilesOfOneLatticeAreJoined(t *testing.T) {
	flat := func(lon, _ float64) float64 { return lon }
	all := joinSurfaces([]Surface{
		tile("b", 10+20.0/3600, 50, 20, 10, flat), tile("a", 10, 50, 20, 10, flat), tile("far", 30, 50, 20, 10, flat),
		tile("off", 10.0001, 51, 20, 10, flat),
	})
	require.Len(t, all, 3)
	require.Equal(t, 40, all[0].Cols)
	for i, v := range all[0].Values {
		require.InDelta(t, 10+(float64(i%40)+0.5)/3600, v, 1e-9)
	}
	seam := geo.Position{X: 10 + 20.0/3600, Y: 50 - 5.0/3600}
	require.InDelta(t, seam.X, all[0].Between(seam), 1e-9)
}

func TestRegions(t *testing.T) {
	near, far := geo.Position{X: 12, Y: 45}, geo.Position{X: 12.2, Y: 45}
	f, err := frame.New(nil, []geo.MultiPolygon{around(near, 200), around(far, 200), around(geo.Position{X: 12.02, Y: 45.01}, 200)}, frame.Options{})
	require.NoError(t, err)
	regions := Regions(&f)
	utm, err := geo.NewUTM(f.EPSG)
	require.NoError(t, err)
	require.Len(t, regions, 2, "the first and the third lie 2 km apart")
	require.Equal(t, []int{0, 2}, regions[0].fields)
	for i, r := range regions {
		for _, field := range r.fields {
			b, w, a := f.Fields[field].Bounds(), utm.Project(r.Within(&f)).Bounds(), utm.Project(r.Around(&f)).Bounds()
			require.True(t, w.MinX <= b.MinX+1 && w.MaxX >= b.MaxX-1 && w.MinY <= b.MinY+1 && w.MaxY >= b.MaxY-1, "region %d", i)
			require.True(t, a.MinX < b.MinX-1400 && a.MaxX > b.MaxX+1400 && a.MinY < b.MinY-1400 && a.MaxY > b.MaxY+1400, "region %d", i)
		}
	}
	cross, err := frame.New(nil, []geo.MultiPolygon{around(geo.Position{X: 179.999, Y: -17}, 60)}, frame.Options{})
	require.NoError(t, err)
	both := Regions(&cross)[0].Around(&cross)
	require.Len(t, both, 2)
	require.Equal(t, 180.0, both[:1].Bounds().MaxX)
	require.Equal(t, -180.0, both[1:].Bounds().MinX)
}

// Rasters in every projection yield the same values, and voids stay empty.
func TestSampledByWidth(t *testing.T) {
	centre := geo.Position{X: 12, Y: 45}
	f, err := frame.New(nil, []geo.MultiPolygon{around(centre, 200)}, frame.Options{})
	require.NoError(t, err)
	value := func(lon, lat float64) float64 { return 1000*(lon-12) + 500*(lat-45) }
	degrees := tile("deg", 12-100.0/3600, 45+100.0/3600, 200, 200, value)
	mercator := Surface{EPSG: WebMercator, CellX: 20, CellY: 20, Cols: 200, Rows: 200, Values: make([]float64, 40_000)}
	corner := geo.ToWebMercator(centre)
	mercator.OriginX, mercator.OriginY = corner.X-2000, corner.Y+2000
	for i := range mercator.Values {
		p := geo.FromWebMercator(geo.Position{X: mercator.OriginX + (float64(i%200)+0.5)*20, Y: mercator.OriginY - (float64(i/200)+0.5)*20})
		mercator.Values[i] = value(p.X, p.Y)
	}
	require.InDelta(t, 20*math.Cos(math.Pi/4), mercator.Metres(), 0.01)
	for _, s := range []Surface{degrees, mercator} {
		layer, err := Sample(&f, s, "v")
		require.NoError(t, err)
		require.False(t, layer.Coarse)
		for i := range f.Cells {
			lonlat, _ := f.LonLat(f.Centre(i))
			require.InDelta(t, value(lonlat.X, lonlat.Y), layer.Values[i], 1e-4)
		}
	}
	coarse := NewRegionSamples(&f, "v", "v", true)
	require.NoError(t, coarse.Add(Regions(&f)[0], degrees))
	to, err := degrees.from(f.EPSG)
	require.NoError(t, err)
	for i, v := range coarse.Layer().Values {
		require.Equal(t, degrees.At(to(f.Centre(i))), v)
	}
	for i := range degrees.Values {
		degrees.Values[i] = math.NaN()
	}
	empty, err := Sample(&f, degrees, "v")
	require.NoError(t, err)
	for _, v := range empty.Values {
		require.True(t, math.IsNaN(v))
	}
}

func TestLayerNames(t *testing.T) {
	for name, fine := range map[string]bool{"clay_0_30": true, "elevation": true, "0": true, "": false, "Clay": false, "twi": false, "slope": false, "ndvi_mean": false, "coord_x": false, "a-b": false} {
		require.Equal(t, fine, WrongLayerName(name) == "", "%q", name)
	}
}
