package ghg_test

import (
	"cmp"
	"context"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	coreghg "tilth/core/ghg"
	"tilth/ports"
	"tilth/tests/memory"
	"tilth/tests/slow"
)

// many is a number of assessments, each with as many crop protections as items returns.
type many struct {
	ports.Assessments
	n     int64
	items func(id int64) int
}

func (m *many) IDsAfter(_ context.Context, _ access.Scope, _ ports.Query, after int64, limit int) (ids []int64, err error) {
	for id := after + 1; id <= m.n && len(ids) < limit; id++ {
		ids = append(ids, id)
	}
	return ids, nil
}

func (m *many) Whole(_ context.Context, _ access.Scope, ids []int64) (out []ghg.Whole, err error) {
	for _, id := range ids {
		e := ghg.Whole{Sheet: assessment.Sheet{}}
		e.ID, e.ResourceType, e.ResourceID = id, assessment.OfFarm, id
		for n := range m.items(id) {
			e.Sheet["fertilizers"] = append(e.Sheet["fertilizers"], assessment.Row{ID: int64(n + 1)})
		}
		out = append(out, e)
	}
	return out, nil
}

func (*many) Resources(context.Context, access.Scope, assessment.ResourceType, ports.ResourceKey, []string) (map[string][]ports.Resource, error) {
	return nil, nil
}

func (*many) NewestVersions(context.Context, access.Scope, []int64) (map[int64]ports.AssessmentVersion, error) {
	return nil, nil
}

// lines writes rows as they come, one write per row.
type lines struct{ ports.AssessmentTables }

func (lines) Write(w io.Writer, _ string, heading []string, rows iter.Seq2[[]string, error]) error {
	_, err := io.WriteString(w, strings.Join(heading, ",")+"\n")
	for row, failed := range rows {
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		_, err = io.WriteString(w, strings.Join(row, ",")+"\n")
	}
	return err
}

func exporting(all *many) (*ghg.Batches, *slow.Store, access.Principal) {
	world := memory.New()
	who := world.Company(1)
	deps := world.Deps()
	store := &slow.Store{Store: deps.Store, Repos: ports.Repos{Assessments: all}}
	deps.Store = store
	table := assessment.NewTable(&coreghg.Mapping{})
	return &ghg.Batches{Deps: deps, Files: lines{}, Assessing: &ghg.Assessments{Deps: deps, Table: table}}, store, who
}

// A slow reader of a table holds no read of the database.
func TestSlowReadersOfTablesHoldNoRead(t *testing.T) {
	t.Parallel()
	batches, store, who := exporting(&many{n: 1_200, items: func(int64) int { return 1 }})
	write, err := batches.Export(t.Context(), who, false, ports.Query{}, ports.CSV)
	require.NoError(t, err)
	out := &slow.Writer{T: t, Store: store}
	require.NoError(t, write(out))
	require.Equal(t, 1_201, out.Writes)
	require.Equal(t, 6, store.Reads, "three pieces, twice")

	write, err = batches.ExportLines(t.Context(), who, false, ports.Query{}, ports.CSV)
	require.NoError(t, err)
	require.NoError(t, write(&slow.Writer{T: t, Store: store}))
}

// An assessment that gets an item while the table is written does not lose it silently.
func TestTablesEndWhereARowNoLongerFits(t *testing.T) {
	t.Parallel()
	all := &many{n: 3, items: func(int64) int { return 1 }}
	batches, store, who := exporting(all)
	write, err := batches.Export(t.Context(), who, false, ports.Query{}, ports.CSV)
	require.NoError(t, err)
	all.items = func(id int64) int { return 1 + store.Reads/2*int(id/3) } // the third, when it is read again
	err = write(&slow.Writer{T: t, Store: store})
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "changed_meanwhile", known.Code)
}
