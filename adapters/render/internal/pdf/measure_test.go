package pdf

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/ports"
)

// A text is measured once, however many rows repeat it: reports of full lists have tens of thousands of cells.
func TestTextsAreMeasuredOnce(t *testing.T) {
	t.Parallel()
	d, err := New(effort.Of(t.Context(), 0), Head{Paper: ports.PaperA4, Title: "Table"})
	require.NoError(t, err)
	columns := []Column{Left("Unit", 40), Right("Value", 40), Left("From", 80)}
	var rows [][]Cell
	for range 2000 {
		rows = append(rows, Row("kg N", "1.5", "a source that takes more than one line of its column, as sources do when they name chapters and tables"))
	}
	require.Positive(t, d.HeightOf(columns, rows))
	d.Table(columns, rows)
	require.NoError(t, d.Write(io.Discard))
	pages := d.f.PageCount()
	require.Greater(t, pages, 50)
	require.LessOrEqual(t, d.split, len(columns)+len(rows[0])+1, "the head, one row, and the empty foot; %d pages", pages)
}
