// Package fields makes the fields, layers and published references that tests of farms and of stratification
// share. Only tests import it.
package fields

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/tests/realdata"
)

// Table reads a CSV of the data with a header.
func Table(t testing.TB, name string) (columns map[string][]float64, rows int) {
	t.Helper()
	columns = TableAt(t, realdata.Path(t, "stratification", name))
	for _, values := range columns {
		rows = len(values)
	}
	return columns, rows
}

// TableAt reads a CSV with a header; columns that are not numeric are left out.
func TableAt(t testing.TB, path string) map[string][]float64 {
	t.Helper()
	records := RecordsOf(t, path)
	columns := map[string][]float64{}
	for _, record := range records[1:] {
		for j, text := range record {
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				columns[records[0][j]] = append(columns[records[0][j]], v)
			}
		}
	}
	return columns
}

// RecordsOf returns the records of a CSV file.
func RecordsOf(t testing.TB, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	return records
}

// Expected reads a committed file of reference values.
func Expected(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(realdata.Module(t), "tests", "testdata", "stratification", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, into))
}

// WheatFrame makes the frame of the wheat field from its cells.
func WheatFrame(t testing.TB, edgeMask int) (frame.Frame, map[string][]float64) {
	t.Helper()
	columns, rows := Table(t, "wheat-field.csv")
	g := frame.GridCells{EPSG: 32720, CellSize: 10, OriginX: 311957.78, OriginY: 5801369.17}
	for i := range rows {
		g.Places = append(g.Places, [2]int32{int32(columns["row"][i]), int32(columns["col"][i])})
	}
	f, given, err := frame.OfCells(g, nil, edgeMask)
	require.NoError(t, err)
	ordered := map[string][]float64{}
	for name, values := range columns {
		for _, i := range given {
			ordered[name] = append(ordered[name], values[i])
		}
	}
	return f, ordered
}

// The columns of the reference tables.
var (
	IrisColumns  = []string{"Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"}
	WheatColumns = []string{"CE30", "CE90", "Elev", "Pe", "Tg"}
)

// LabelsOf reads a grid of zones in the order of the frame's cells.
func LabelsOf(t *testing.T, f *frame.Frame, name string) []int32 {
	t.Helper()
	labels := make([]int32, len(f.Cells))
	counted := 0
	for row, record := range RecordsOf(t, realdata.Path(t, "stratification", name)) {
		for col, text := range record {
			label, err := strconv.Atoi(text)
			require.NoError(t, err)
			if i := f.Index(row, col); i >= 0 {
				labels[i] = int32(label)
				counted++
			} else {
				require.Zero(t, label)
			}
		}
	}
	require.Equal(t, len(f.Cells), counted)
	return labels
}

// star draws a ring around a centre with a random radius: bays, tongues and slivers.
func star(t *rapid.T, label string, centre geo.Position, lower, upper float64) geo.Ring {
	corners := rapid.IntRange(3, 24).Draw(t, label+" corners")
	squeeze := rapid.Float64Range(0.03, 1).Draw(t, label+" squeeze")
	var ring geo.Ring
	for i := range corners {
		r := rapid.Float64Range(lower, upper).Draw(t, label+" radius")
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
		ring = append(ring, geo.Position{X: centre.X + r*cos, Y: centre.Y + r*sin*squeeze})
	}
	return append(ring, ring[0])
}

// DrawFields draws one to four fields, some with a hole, that may touch, overlap or lie apart.
func DrawFields(t *rapid.T) []geo.MultiPolygon {
	utm, err := geo.NewUTM(32633)
	if err != nil {
		t.Fatal(err)
	}
	var fields []geo.MultiPolygon
	for range rapid.IntRange(1, 4).Draw(t, "fields") {
		centre := geo.Position{
			X: 500_000 + rapid.Float64Range(-600, 600).Draw(t, "x"),
			Y: 5_400_000 + rapid.Float64Range(-600, 600).Draw(t, "y"),
		}
		polygon := geo.Polygon{star(t, "outer", centre, 60, 300)}
		if rapid.Bool().Draw(t, "hole") {
			polygon = append(polygon, star(t, "hole", centre, 5, 40))
		}
		// The limits keep outlines that are not valid boundaries out of the test, as they do in the product.
		b, err := geo.NewBoundary(nil, utm.Unproject(geo.MultiPolygon{polygon}), geo.DefaultLimits())
		if err == nil {
			fields = append(fields, b.Geometry())
		}
	}
	if len(fields) == 0 {
		t.Skip("no valid field")
	}
	return fields
}

// Rectangle returns a field with its corners in the plane of zone 33 north.
func Rectangle(t testing.TB, x, y, width, height float64) geo.MultiPolygon {
	t.Helper()
	utm, err := geo.NewUTM(32633)
	require.NoError(t, err)
	ring := geo.Ring{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y + height}, {X: x, Y: y + height}, {X: x, Y: y}}
	return utm.Unproject(geo.MultiPolygon{{ring}})
}

// Voorst returns the published figures of Voorst, with the sizes of its strata.
func Voorst(t testing.TB) (w VoorstReference, sizes []int) {
	t.Helper()
	Expected(t, "voorst-expected.json", &w)
	for _, name := range VoorstStrata {
		sizes = append(sizes, int(w.Published.N[name]))
	}
	return w, sizes
}

// VoorstReference is what is published about the Voorst study, and what follows from it.
type VoorstReference struct {
	Published struct {
		N      map[string]float64      `json:"N_h"`
		SD     stratumFigures          `json:"stratum_sd"`
		Prop   map[string]int          `json:"allocation_n40_proportional"`
		Neyman map[string]int          `json:"allocation_n40_neyman"`
		Table  voorstTable             `json:"stratified_estimate_from_table"`
		Var    stratumFigures          `json:"stratum_variances"`
		Mean   struct{ Value float64 } `json:"population_mean"`
	}
	Computed struct {
		Mean     float64                   `json:"population_mean"`
		Neyman   map[string]map[string]int `json:"integer_exact_neyman"`
		EqualSD  map[string]map[string]int `json:"integer_exact_equal_sd"`
		Required struct {
			Rows    []RequiredRow
			Student []RequiredRow `json:"with_t_df_n_minus_H"`
		} `json:"required_n"`
	}
	Satterthwaite struct{ Value float64 } `json:"satterthwaite_df_from_table"`
	Coverage      struct {
		Rows []struct {
			N   int
			Max float64
		}
	} `json:"mssd_spatial_coverage"`
}

type stratumFigures struct{ Value map[string]float64 }

// RequiredRow is a required number of samples by design.
type RequiredRow struct {
	Confidence, R             float64
	SRS, Proportional, Neyman int
}

type voorstTable struct {
	N         map[string]int     `json:"n_h"`
	Means     map[string]float64 `json:"sample_means"`
	Variances map[string]float64 `json:"sample_variances"`
	Mean      struct{ Value float64 }
	SE        struct{ Value float64 }   `json:"standard_error"`
	CI        struct{ Value []float64 } `json:"ci95_df_n_minus_H"`
}

// VoorstStrata are the strata of the Voorst study, in order.
var VoorstStrata = []string{"BA", "EA", "PA", "RA", "XF"}

// Number parses a number of a table.
func Number(t testing.TB, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}
