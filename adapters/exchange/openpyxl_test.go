package exchange_test

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/credit"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// shownSheet is a sheet as another program sees it: the type, value and format of each cell, and whether it is typed text.
type shownSheet struct {
	Name   string
	Frozen string
	Widths []float64
	Rows   [][][4]any
}

func openpyxl(t *testing.T, args ...string) []byte {
	t.Helper()
	programs := []string{"python3", "/usr/bin/python3"} // the first may be one without Debian's packages
	i := slices.IndexFunc(programs, func(program string) bool { return exec.Command(program, "-c", "import openpyxl").Run() == nil })
	if i < 0 {
		t.Skip("LEFT OUT: workbooks read and written by openpyxl, which is not here. Fix: apt-get install python3-openpyxl.")
	}
	command := exec.CommandContext(t.Context(), programs[i], append([]string{"testdata/workbook.py"}, args...)...)
	var errs strings.Builder
	command.Stderr = &errs
	out, err := command.Output()
	require.NoError(t, err, errs.String())
	return out
}

func sheetsSeen(t *testing.T, write func(w io.Writer) error) []shownSheet {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, write(&file))
	path := filepath.Join(t.TempDir(), "file.xlsx")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	var out []shownSheet
	require.NoError(t, json.Unmarshal(openpyxl(t, path), &out))
	return out
}

// Openpyxl sees numbers as numbers, days as days and texts as texts, whatever they look like.
func TestOpenpyxlReadsWorkbooks(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)
	sheets := sheetsSeen(t, func(w io.Writer) error {
		return exchange.Sheets{}.StatementSheet(w, ports.XLSX, credit.Wallet{Balance: 100_00}, func(yield func(credit.StatementLine, error) bool) {
			tx := credit.Transaction{ID: 7, CreatedAt: at, Kind: credit.Hold, Amount: 30_05, Product: credit.SoilMap, FieldID: 2, Note: "=cmd|' /C calc'!A0"}
			yield(credit.StatementLine{Transaction: tx, Balance: 100_00, Held: 30_05}, nil)
		})
	})
	require.Len(t, sheets, 1)
	require.Equal(t, []string{"Statement", "A2"}, []string{sheets[0].Name, sheets[0].Frozen})
	require.Greater(t, sheets[0].Widths[1], 18.0, "a time is not shown as ######")
	require.Equal(t, [][4]any{
		{"str", "transaction", "@", false}, {"datetime", "2026-03-01 12:00:30", `yyyy\-mm\-dd\ hh:mm:ss`, false}, {"int", "7", "General", false}, {"str", "hold", "@", false},
		{"str", "soil_map", "@", false}, {"int", "2", "General", false}, {"float", "30.05", "General", false}, {"int", "100", "General", false}, {"float", "30.05", "General", false},
		{"float", "69.95", "General", false}, {"str", "=cmd|' /C calc'!A0", "@", true},
	}, sheets[0].Rows[2])

	day := time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)
	sheets = sheetsSeen(t, func(w io.Writer) error {
		return exchange.Sheets{}.SeriesSheet(w, ports.XLSX, vegetation.Series{Observations: []vegetation.Observation{{Date: day, Value: 1e-7, NValid: 30}}})
	})
	require.Equal(t, [][4]any{{"datetime", "2025-04-01 00:00:00", `yyyy\-mm\-dd`, false}, {"float", "1e-07", "General", false}}, sheets[0].Rows[1][:2])

	boundary, err := geo.ParseGeoJSON(nil, []byte(`{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50]]]}`), geo.DefaultLimits())
	require.NoError(t, err)
	sheets = sheetsSeen(t, func(w io.Writer) error {
		columns := []ports.Column{{Name: "id", Kind: ports.WholeColumn}, {Name: "external_id", Kind: ports.TextColumn}, {Name: "irrigated", Kind: ports.FlagColumn}, {Name: "active_from", Kind: ports.TextColumn, Holds: ports.Days}}
		return exchange.OutlineWriter{}.Write(t.Context(), ports.XLSX, w, columns, iter.Seq2[ports.Outline, error](func(yield func(ports.Outline, error) bool) {
			yield(ports.Outline{Boundary: &boundary, Values: []any{int64(4), "0042", true, "2025-04-01"}}, nil)
		}))
	})
	require.Equal(t, [][4]any{
		{"int", "4", "General", false}, {"str", "0042", "@", false}, {"bool", "True", "General", false}, {"datetime", "2025-04-01 00:00:00", `yyyy\-mm\-dd`, false},
		{"str", "POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50))", "@", false},
	}, sheets[0].Rows[1])
}

// A laboratory's workbook, as openpyxl writes it, is read from the sheet that is named.
func TestWorkbooksOfOpenpyxlAreRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lab.xlsx")
	openpyxl(t, "", path)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	table, err := exchange.SampleTables{}.Read(bytes.NewReader(content), ports.SampleTableOptions{MaxRows: 10, Sheet: "Results"})
	require.NoError(t, err)
	require.Len(t, table.Rows, 2)
	require.Empty(t, table.Rows[0].Errors)
	require.Equal(t, "=not a formula", table.Rows[0].Says.Notes)
	require.Equal(t, time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC), *table.Rows[1].Says.CollectedAt)
	require.InDelta(t, 2.5, *table.Rows[0].Says.SOCPct, 0)
	_, err = exchange.SampleTables{}.Read(bytes.NewReader(content), ports.SampleTableOptions{MaxRows: 10})
	require.ErrorContains(t, err, "nothing here")
}
