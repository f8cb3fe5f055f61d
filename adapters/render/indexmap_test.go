package render_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/mapfile"
	"tilth/adapters/render"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// shownLayer is a field of rings in metres, east and south of a corner, and a layer of values around it; where lost is true nothing
// was seen.
func shownLayer(t testing.TB, index vegetation.IndexCode, lost func(x, y float64) bool, rings ...[][2]float64) ports.ShownLayer {
	t.Helper()
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	var polygon geo.Polygon
	for _, ring := range rings {
		var r geo.Ring
		for _, q := range append(ring, ring[0]) {
			r = append(r, geo.Position{X: 352_000 + q[0], Y: 4_612_000 - q[1]})
		}
		polygon = append(polygon, r)
	}
	field := geo.MultiPolygon{polygon}
	grid := vegetation.Grid{EPSG: 32630, OriginX: 351_000, OriginY: 4_613_000, PixelX: 10, PixelY: 10, Width: 5000, Height: 5000}
	window := grid.Window(field.Bounds(), 4)
	covered, err := vegetation.Cover(field, window.Of(grid))
	require.NoError(t, err)
	l := &indexmap.Layer{
		Day: time.Date(2025, 5, 12, 0, 0, 0, 0, time.UTC), Index: index, Grid: window.Of(grid), Cols: window.Width, Rows: window.Height,
		Values: make([]float64, window.Width*window.Height), Inside: make([]bool, window.Width*window.Height),
		Scenes: []string{"S2A_MSIL2A_20250512T110621_N0511_R137_T30TUM_20250512T151803"},
	}
	if covered.Small {
		l.Weights = make([]float64, len(l.Values))
	}
	for _, c := range covered.Cells {
		l.Inside[c.Row*l.Cols+c.Col] = true
		if covered.Small {
			l.Weights[c.Row*l.Cols+c.Col] = c.Weight
		}
	}
	random := rand.New(rand.NewPCG(4, 2))
	for i := range l.Values {
		at := l.Grid.Centre(i%l.Cols, i/l.Cols)
		x, y := at.X-352_000, 4_612_000-at.Y
		l.Values[i] = 0.55 + 0.3*math.Sin(x/170)*math.Cos(y/230) + 0.06*random.Float64()
		if index == vegetation.CIre {
			l.Values[i] *= 8
		}
		if lost != nil && lost(x, y) {
			l.Values[i] = math.NaN()
		}
	}
	return ports.ShownLayer{Layer: l, Field: ports.ShownField{Name: "Larch Meadow", Outline: utm.Unproject(field)}, Style: indexmap.StyleOf(index)}
}

var (
	wide  = [][2]float64{{0, 60}, {40, 520}, {610, 640}, {900, 320}, {760, 30}, {330, -40}}
	pond  = [][2]float64{{330, 210}, {430, 190}, {520, 290}, {470, 400}, {350, 360}}
	small = [][2]float64{{13, 12}, {16, 41}, {35, 39}, {31, 9}}
)

func clouds(x, y float64) bool {
	return math.Hypot(x-650, y-300) < 190 || math.Hypot(x-120, y-420) < 90
}

func TestDatesOfMapsAreDrawn(t *testing.T) {
	t.Parallel()
	classed := shownLayer(t, vegetation.NDVI, nil, wide)
	classes, err := classed.Layer.Classify(indexmap.Quantile, 5)
	require.NoError(t, err)
	classed.Classes = &classes
	bare := shownLayer(t, vegetation.NDVI, nil, wide)
	bare.Bare, bare.Layer.Synthetic = true, true
	synthetic := shownLayer(t, vegetation.NDVI, clouds, wide)
	synthetic.Layer.Synthetic = true
	narrow := shownLayer(t, vegetation.NDMI, nil, [][2]float64{{0, 0}, {0, 2000}, {120, 2000}, {120, 0}})
	narrow.Field.Name = "<b>The long strip</b> & a name that goes on and on until there is no room left for it in the title"
	for name, c := range map[string]struct {
		in         ports.ShownLayer
		says, lies []string
	}{
		"a field":            {shownLayer(t, vegetation.NDVI, nil, wide), []string{"Larch Meadow", "NDVI on 2025-05-12; ", "NDVI: normalized difference", "EPSG:32630", "S2A_MSIL2A_20250512T110621", "Outline of the field;"}, []string{"SYNTHETIC", "Not seen"}},
		"a small field":      {shownLayer(t, vegetation.NDRE, nil, small), []string{"NDRE", "13 of 13 pixels of the field", "The field is small"}, []string{"Not seen"}},
		"with a hole":        {shownLayer(t, vegetation.CIre, nil, wide, pond), []string{"CIre: red edge chlorophyll index"}, nil},
		"below clouds":       {synthetic, []string{"Not seen, mostly", "SYNTHETIC, not measured", "The scenes are synthetic"}, nil},
		"in classes":         {classed, []string{"5: ", "1: ", ", 20 %"}, []string{"10 % above"}},
		"bare":               {bare, []string{"SYNTHETIC"}, []string{"Larch Meadow", "Outline", "NDVI"}},
		"narrow":             {narrow, []string{"&lt;b&gt;The long strip", "NDMI"}, nil},
		"nothing was seen":   {shownLayer(t, vegetation.NBR, func(_, _ float64) bool { return true }, wide), []string{"No pixel of the field has a", "100 %"}, []string{"mean"}},
		"values of one kind": {oneValue(t), []string{"mean 0.50"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			picture := drawn(t, "layer", func(w io.Writer, format string) error { return render.Charts{}.DrawLayer(t.Context(), w, format, c.in) })
			for _, text := range c.says {
				require.True(t, strings.Contains(picture, text), "it does not say %q", text)
			}
			for _, text := range c.lies {
				require.False(t, strings.Contains(picture, text), "it says %q", text)
			}
		})
	}
}

func oneValue(t *testing.T) ports.ShownLayer {
	t.Helper()
	in := shownLayer(t, vegetation.NDVI, nil, wide)
	for i := range in.Layer.Values {
		in.Layer.Values[i] = 0.5
	}
	return in
}

// Within the field a pixel of the picture has the colour of the value there.
func TestPicturesHaveTheColoursOfTheStyle(t *testing.T) {
	t.Parallel()
	in := oneValue(t)
	in.Bare = true
	var picture bytes.Buffer
	require.NoError(t, render.Charts{}.DrawLayer(t.Context(), &picture, ports.PNG, in))
	img, err := png.Decode(&picture)
	require.NoError(t, err)
	shade, _ := in.Style.Shade(0.5)
	want := in.Style.Colors[shade]
	b := img.Bounds()
	require.Equal(t, color.RGBA{want.R, want.G, want.B, 255}, color.RGBAModel.Convert(img.At(b.Dx()/2, b.Dy()/2)))
	require.NotEqual(t, color.RGBA{want.R, want.G, want.B, 255}, color.RGBAModel.Convert(img.At(2, 2)), "paler beside the field")
}

// tileAround returns the tile of a zoom that holds the middle of a layer.
func tileAround(t testing.TB, l *indexmap.Layer, z, size int) indexmap.Tile {
	t.Helper()
	plane, err := geo.NewPlane(l.Grid.EPSG)
	require.NoError(t, err)
	m := geo.ToWebMercator(plane.Inverse(l.Grid.Centre(l.Cols/2, l.Rows/2)))
	half := geo.ToWebMercator(geo.Position{X: 180}).X
	n := math.Ldexp(1, z) / (2 * half)
	return indexmap.Tile{Z: z, X: int((m.X + half) * n), Y: int((half - m.Y) * n), Size: size}
}

func tileOf(t *testing.T, in ports.ShownTile) *image.Paletted {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, render.Charts{}.DrawTile(&file, in))
	look(t, in.Tile.String()+".png", file.Bytes())
	img, err := png.Decode(&file)
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, in.Tile.Size, in.Tile.Size), img.Bounds())
	out, ok := img.(*image.Paletted)
	require.True(t, ok)
	return out
}

func TestTilesAreDrawn(t *testing.T) {
	t.Parallel()
	in := shownLayer(t, vegetation.NDVI, clouds, wide)
	for _, size := range indexmap.TileSizes {
		tile := ports.ShownTile{Layer: in.Layer, Style: in.Style, Tile: tileAround(t, in.Layer, 15, size)}
		got := tileOf(t, tile)
		shown := 0
		want := map[int]float64{}
		require.NoError(t, in.Layer.Sample(tile.Tile, tile.How, func(at int, v float64) { want[at] = v }))
		for at := range size * size {
			c := color.NRGBAModel.Convert(got.At(at%size, at/size))
			v, ok := want[at]
			if !ok {
				require.Equal(t, color.NRGBA{}, c)
				continue
			}
			shown++
			shade, _ := in.Style.Shade(v)
			rgb := in.Style.Colors[shade]
			require.Equal(t, color.NRGBA{rgb.R, rgb.G, rgb.B, 255}, c)
		}
		require.Positive(t, shown)
	}
	beside := ports.ShownTile{Layer: in.Layer, Style: in.Style, Tile: indexmap.Tile{Z: 15, X: 3, Y: 5, Size: 256}}
	for _, p := range tileOf(t, beside).Pix {
		require.Zero(t, p)
	}
	beside.Tile.Z = 40
	require.True(t, fault.Is(render.Charts{}.DrawTile(io.Discard, beside), fault.Invalid))
}

func BenchmarkDrawTile(b *testing.B) {
	in := shownLayer(b, vegetation.NDVI, clouds, wide)
	tile := ports.ShownTile{Layer: in.Layer, Style: in.Style, Tile: tileAround(b, in.Layer, 15, 256)}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := (render.Charts{}).DrawTile(io.Discard, tile); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A tile is what gdalwarp makes of the file of the date, within a shade: at the zooms at which people look, and its neighbours too.
func TestTilesAreAsGDALWarpsThem(t *testing.T) {
	if _, err := exec.LookPath("gdalwarp"); err != nil {
		t.Skip("LEFT OUT: comparing tiles with gdalwarp (Debian: apt-get install gdal-bin)")
	}
	t.Parallel()
	in := shownLayer(t, vegetation.NDVI, clouds, wide)
	path := filepath.Join(t.TempDir(), "map.tif")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, mapfile.Files{}.WriteGeoTIFF(file, *in.Layer))
	require.NoError(t, file.Close())
	half := geo.ToWebMercator(geo.Position{X: 180}).X
	for _, z := range []int{11, 14, 16} {
		middle := tileAround(t, in.Layer, z, 256)
		for k := range 4 { // with the neighbours
			tile := middle
			tile.X, tile.Y = tile.X+k%2, tile.Y+k/2
			side := 2 * half / math.Ldexp(1, z)
			left, top := -half+float64(tile.X)*side, half-float64(tile.Y)*side
			raw := fmt.Sprintf("%s-%d-%d.raw", path, z, k)
			number := func(v float64) string { return fmt.Sprintf("%.9f", v) }
			said, err := exec.Command("gdalwarp", "-q", "-overwrite", "-of", "ENVI", "-t_srs", "EPSG:3857", "-r", "near", "-et", "0", "-ovr", "NONE",
				"-te", number(left), number(top-side), number(left+side), number(top), "-ts", "256", "256", path, raw).CombinedOutput()
			require.NoError(t, err, "%s", said)
			data, err := os.ReadFile(raw)
			require.NoError(t, err)
			want := make([]float32, 256*256)
			_, err = binary.Decode(data, binary.LittleEndian, want)
			require.NoError(t, err)
			got := tileOf(t, ports.ShownTile{Layer: in.Layer, Style: in.Style, Tile: tile, How: indexmap.Sampling{Margin: true}})
			shown, differ := 0, 0
			for at, v := range want {
				shade, ok := in.Style.Shade(float64(v))
				switch pixel := int(got.Pix[at]); {
				case ok != (pixel > 0):
					differ++
				case ok:
					if shown++; math.Abs(float64(pixel-1-int(shade))) > 1 {
						differ++
					}
				}
			}
			require.True(t, k > 0 || shown > 0)
			// A place on the edge of two pixels may fall to either.
			require.LessOrEqual(t, differ, 1+shown/5000, "%s: of %d pixels", tile, shown)
		}
	}
}

// A picture in the colours of the scenes states its bands, and also shows pixels without a value of the index.
func TestColoursOfScenesAreDrawn(t *testing.T) {
	t.Parallel()
	in := shownLayer(t, vegetation.NDVI, func(x, y float64) bool { return x < 150 }, [][2]float64{{0, 0}, {300, 0}, {300, 300}, {0, 300}})
	in.Bare = true
	in.Photo = &indexmap.Photo{Combination: indexmap.Combinations[1]}
	for n, v := range []float64{0.3, 0.15, 0.6} {
		in.Photo.Reflectances[n] = make([]float64, len(in.Layer.Values))
		for i := range in.Layer.Values {
			in.Photo.Reflectances[n][i] = v
		}
	}
	var file bytes.Buffer
	require.NoError(t, render.Charts{}.DrawLayer(t.Context(), &file, ports.PNG, in))
	img, err := png.Decode(&file)
	require.NoError(t, err)
	for _, x := range []int{500, 900} { // without a value of the index, and with one
		require.Equal(t, color.NRGBA{R: 165, G: 165, B: 255, A: 255}, color.NRGBAModel.Convert(img.At(x, 700)))
	}
	in.Bare = false
	var text bytes.Buffer
	require.NoError(t, render.Charts{}.DrawLayer(t.Context(), &text, ports.SVG, in))
	for _, want := range []string{"False colours: near infrared as red on 2025-05-12", "Red: B08, reflectances from 0 to", ">0.6<", "Blue: B03"} {
		require.Contains(t, strings.Join(strings.Fields(text.String()), " "), want)
	}
}
