package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/audit"
	"tilth/core/chain"
	"tilth/ports"
)

// busy holds the chains of a database in which somebody commits a row at every look.
type busy struct {
	ports.ChainKeeper
	waiting []int64
	chained []int64
	last    int64
	keys    []ports.ChainKey
	looks   int
}

func (b *busy) commit() {
	b.last++
	b.waiting = append(b.waiting, b.last)
}

func (b *busy) Idle(context.Context) (bool, error) { return len(b.waiting) == 0, nil }

func (b *busy) Lock(context.Context) error { return nil }

func (b *busy) Waiting(_ context.Context, limit int) (out []ports.WaitingRow, _ error) {
	b.looks++
	for _, id := range b.waiting[:min(limit, len(b.waiting))] {
		out = append(out, ports.WaitingRow{ID: chain.ID{Name: chain.Audit, CompanyID: 1}, Row: chain.Row{ID: id}})
	}
	b.commit()
	return out, nil
}

func (b *busy) Head(context.Context, chain.ID) (chain.Checkpoint, error) {
	return chain.Checkpoint{}, nil
}

func (b *busy) Append(_ context.Context, links []chain.Link, _ chain.Checkpoint, _ time.Time) error {
	for _, link := range links {
		b.chained = append(b.chained, link.RowID)
	}
	b.waiting = b.waiting[len(links):]
	return nil
}

func (b *busy) Keys(context.Context) ([]ports.ChainKey, error) { return b.keys, nil }

func (b *busy) AddKey(_ context.Context, key ports.ChainKey) error {
	b.keys = append(b.keys, key)
	return nil
}

type busyStore struct {
	ports.Store
	chains *busy
}

func (s busyStore) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, ports.OperatorRepos{Chains: s.chains})
}

func (s busyStore) Operate(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return s.Consult(ctx, do)
}

type clock struct{}

func (clock) Now() time.Time { return time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC) }

type secrets struct{ ports.IDs }

func (secrets) Secret() string { return "a secret" }

// Waiting rows are chained at once, and rows that others commit meanwhile at the next run: one by one, each would take a transaction.
func TestChainsAreNotLinkedRowByRow(t *testing.T) {
	t.Parallel()
	chains := &busy{}
	for range 1203 {
		chains.commit()
	}
	s := audit.Sequencer{Store: busyStore{chains: chains}, Clock: clock{}, IDs: secrets{}}
	n, err := s.Run(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, int64(1203))
	require.Len(t, chains.chained, int(n))
	require.Equal(t, 3, chains.looks, "full transactions, and the rest")
	require.NotEmpty(t, chains.waiting)
}
