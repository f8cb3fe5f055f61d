package satellite_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
	"tilth/tests/memory"
	"tilth/tests/slow"
)

// ledger is a ledger that grows with every read.
type ledger struct {
	ports.Wallet
	n int64
}

func (l *ledger) LastID(context.Context, access.Scope) (int64, error) { return l.n, nil }

func (*ledger) At(context.Context, access.Scope, time.Time) (credit.Wallet, error) {
	return credit.Wallet{}, nil
}

func (l *ledger) Between(_ context.Context, _ access.Scope, span ports.LedgerSpan) (out []credit.Transaction, err error) {
	id := int64(1)
	if span.After != nil {
		id = span.After.ID + 1
	}
	for ; id <= min(l.n, span.Last) && int64(len(out)) < span.Limit; id++ {
		out = append(out, credit.Transaction{ID: id, Kind: credit.Credit, Amount: 1})
	}
	l.n += 10
	return out, nil
}

// sheet writes the lines of a statement as they come, one write per line.
type sheet struct{ ports.Sheets }

func (sheet) StatementSheet(w io.Writer, _ string, _ credit.Wallet, lines iter.Seq2[credit.StatementLine, error]) error {
	for line, err := range lines {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, line.ID, line.Balance); err != nil {
			return err
		}
	}
	return nil
}

// A slow reader of a statement holds no read, and reads the ledger as it was when the statement was requested.
func TestSlowReadersOfStatementsHoldNoRead(t *testing.T) {
	t.Parallel()
	world := memory.New()
	deps := world.Deps()
	store := &slow.Store{Store: deps.Store, Repos: ports.Repos{Wallet: &ledger{n: 2_500}}}
	deps.Store = store
	files := &satellite.ProfileFiles{Orders: &satellite.Profiles{Deps: deps}, Sheets: sheet{}}
	write, err := files.Statement(t.Context(), world.Company(1), ports.CSV, nil, nil)
	require.NoError(t, err)
	out := &slow.Writer{T: t, Store: store}
	require.NoError(t, write(out))
	require.Equal(t, 2_500, out.Writes)
	require.Equal(t, 4, store.Reads)
	require.Equal(t, "2500 25.00\n", out.Last)
}
