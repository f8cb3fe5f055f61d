package audit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"tilth/core/chain"
	"tilth/ports"
)

const (
	// chainRows is the number of rows that one transaction chains.
	chainRows = 500
	// keptEvery is the interval at which the head of a growing chain is kept as a checkpoint.
	keptEvery = time.Hour
)

// Sequencer chains newly committed rows. Any number of them may run: one transaction of a database
// chains at a time, and a row is chained once. A row that commits late is chained late.
type Sequencer struct {
	Store ports.Store
	Clock ports.Clock
	IDs   ports.IDs
}

// Run chains every waiting row, in small transactions, and returns their number. Rows that commit meanwhile wake the caller,
// who runs it again after a pause: under constant writes a transaction would otherwise chain a handful of rows.
func (s *Sequencer) Run(ctx context.Context) (total int64, err error) {
	for {
		var idle bool
		err := s.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
			idle, err = tx.Chains.Idle(ctx)
			return err
		})
		if err != nil || idle {
			return total, err
		}
		var n int64
		err = s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
			n, err = s.chain(ctx, tx)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += n; n < chainRows {
			return total, nil
		}
	}
}

// chain chains up to chainRows rows in a transaction and returns how many.
func (s *Sequencer) chain(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
	if err := tx.Chains.Lock(ctx); err != nil {
		return 0, err
	}
	waiting, err := tx.Chains.Waiting(ctx, chainRows)
	if err != nil || len(waiting) == 0 {
		return 0, err
	}
	key, err := s.key(ctx, tx)
	if err != nil {
		return 0, err
	}
	now := s.Clock.Now()
	for rest := waiting; len(rest) > 0; {
		id := rest[0].ID
		head, err := tx.Chains.Head(ctx, id)
		if err != nil {
			return 0, err
		}
		var links []chain.Link
		for ; len(rest) > 0 && rest[0].ID == id; rest = rest[1:] {
			var link chain.Link
			if link, head, err = id.Append(head, rest[0].Row, s.IDs.Secret()); err != nil {
				return 0, err
			}
			links = append(links, link)
		}
		head.At = now
		if err := tx.Chains.Append(ctx, links, key.Sign(head), now.Add(-keptEvery)); err != nil {
			return 0, err
		}
	}
	return int64(len(waiting)), nil
}

// key returns the newest signing key; it makes the first one.
func (s *Sequencer) key(ctx context.Context, tx ports.OperatorRepos) (chain.Key, error) {
	stored, err := tx.Chains.Keys(ctx)
	if err != nil {
		return chain.Key{}, err
	}
	for _, one := range slices.Backward(stored) {
		if len(one.Seed) == 0 {
			continue
		}
		key, err := chain.NewKey(one.Seed)
		if err == nil && len(one.Public) == 0 { // stored by a release that did not keep the public half
			one.Public = key.Public
			err = tx.Chains.AddKey(ctx, one)
		}
		return key, err
	}
	seed := sha256.Sum256([]byte(s.IDs.Secret()))
	key, err := chain.NewKey(seed[:])
	if err != nil {
		return key, err
	}
	return key, tx.Chains.AddKey(ctx, ports.ChainKey{ID: key.ID, Seed: seed[:], Public: key.Public, CreatedAt: s.Clock.Now()})
}

// keysOf returns all keys; for one whose seed is lost, the half that verifies, where it is stored.
func keysOf(ctx context.Context, tx ports.OperatorRepos) ([]chain.Key, error) {
	stored, err := tx.Chains.Keys(ctx)
	if err != nil {
		return nil, err
	}
	var keys []chain.Key
	for _, one := range stored {
		if len(one.Seed) == 0 {
			if key := chain.PublicKey(one.Public); key.ID == one.ID {
				keys = append(keys, key)
			}
			continue
		}
		key, err := chain.NewKey(one.Seed)
		if err != nil {
			return nil, fmt.Errorf("the key %s of the chains: %w", one.ID, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}
