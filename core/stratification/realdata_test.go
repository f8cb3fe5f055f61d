package stratification

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// realData gives the path of a file of the stratification data, or skips the test loudly.
func realData(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("TILTH_REAL_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(root, "stratification", name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("TILTH_REQUIRE_REAL_DATA") == "1" {
			t.Fatalf("the real data is required and absent: %v", err)
		}
		t.Logf("THE REAL DATA IS ABSENT (%v): set TILTH_REAL_DATA; nothing was tested here", err)
		t.Skip("no real data")
	}
	return path
}

// table reads a CSV of the data with a header.
func table(t testing.TB, name string) (columns map[string][]float64, rows int) {
	t.Helper()
	columns = tableAt(t, realData(t, name))
	for _, values := range columns {
		rows = len(values)
	}
	return columns, rows
}

// tableAt reads a CSV with a header; columns that hold no numbers are left out.
func tableAt(t testing.TB, path string) map[string][]float64 {
	t.Helper()
	records := recordsOf(t, path)
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

func recordsOf(t testing.TB, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	return records
}

// expected reads a committed file of reference values.
func expected(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "tests", "testdata", "stratification", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, into))
}

// columnsOf makes points of columns, as they are or standardised.
func columnsOf(columns map[string][]float64, names []string, standardised bool) matrix {
	m := newMatrix(len(columns[names[0]]), len(names))
	for j, name := range names {
		mean, sd := 0.0, 1.0
		if standardised {
			mean, sd = meanAndSD(columns[name])
		}
		m.setColumn(j, columns[name], mean, sd, 1)
	}
	return m
}

var (
	irisColumns  = []string{"Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"}
	wheatColumns = []string{"CE30", "CE90", "Elev", "Pe", "Tg"}
)

// wheatFrame makes the frame of the wheat field as its cells have it.
func wheatFrame(t testing.TB, edgeMask int) (Frame, map[string][]float64) {
	t.Helper()
	columns, rows := table(t, "wheat-field.csv")
	g := GridCells{EPSG: 32720, CellSize: 10, OriginX: 311957.78, OriginY: 5801369.17}
	for i := range rows {
		g.Places = append(g.Places, [2]int32{int32(columns["row"][i]), int32(columns["col"][i])})
	}
	f, given, err := FrameOfCells(g, nil, edgeMask)
	require.NoError(t, err)
	ordered := map[string][]float64{}
	for name, values := range columns {
		for _, i := range given {
			ordered[name] = append(ordered[name], values[i])
		}
	}
	return f, ordered
}

func wheatLayers(columns map[string][]float64, names ...string) []Layer {
	var layers []Layer
	for _, name := range names {
		layers = append(layers, Layer{Name: name, Values: columns[name], Source: "wheat-field.csv"})
	}
	return layers
}
