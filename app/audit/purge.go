package audit

import (
	"context"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/core/chain"
	"tilth/ports"
)

// Purge removes entries past their retention from the trails of all companies, only below a signed checkpoint,
// in partitions and in small transactions, and returns their number. A broken chain is left as it is, for
// whoever examines it.
func (s *Sequencer) Purge(ctx context.Context, log *slog.Logger, kept time.Duration) (total int64, err error) {
	if kept == 0 {
		return 0, nil
	}
	var companies []int64
	var before time.Time
	err = s.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		before = tx.Partitions.EntriesBefore(s.Clock.Now().Add(-kept))
		companies, err = tx.Chains.Companies(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	var marked []chain.ID
	for _, company := range companies {
		id := chain.ID{Name: chain.Audit, CompanyID: company}
		whole, err := s.markBefore(ctx, log, id, before)
		if err != nil {
			return 0, err
		}
		if whole {
			marked = append(marked, id)
		}
	}
	if err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.Partitions.DropEntries(ctx, before) }); err != nil {
		return 0, err
	}
	for _, id := range marked {
		n, err := app.InPieces(ctx, s.Store, chainRows, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			if err := tx.Chains.Lock(ctx); err != nil {
				return 0, err
			}
			return tx.Chains.RemovePurged(ctx, id, chainRows)
		})
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// markBefore marks what may be removed from a chain, and reports whether the chain is whole, as far as that had to be checked.
func (s *Sequencer) markBefore(ctx context.Context, log *slog.Logger, id chain.ID, before time.Time) (whole bool, err error) {
	var mark, head chain.Checkpoint
	err = s.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		if head, err = tx.Chains.Head(ctx, id); err != nil {
			return err
		}
		mark, err = tx.Chains.Before(ctx, id, before)
		return err
	})
	if err != nil || mark.Position <= head.Purged {
		return true, err
	}
	for found, err := range (&Verifier{Store: s.Store}).Verify(ctx, id.Name, id.CompanyID) {
		if err != nil {
			return false, err
		}
		if found.Broken != nil {
			log.ErrorContext(ctx, "a broken chain is not purged; see `tilth verify`", "chain", id.Name, "company", id.CompanyID, "broken", found.Broken.String())
			return false, nil
		}
	}
	return true, s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return s.mark(ctx, tx, mark) })
}

// mark signs a statement that the rows of a chain up to a checkpoint may be removed.
func (s *Sequencer) mark(ctx context.Context, tx ports.OperatorRepos, mark chain.Checkpoint) error {
	if err := tx.Chains.Lock(ctx); err != nil {
		return err
	}
	head, err := tx.Chains.Head(ctx, mark.ID)
	if err != nil || head.Purged >= mark.Position {
		return err
	}
	key, err := s.key(ctx, tx)
	if err != nil {
		return err
	}
	head.Purged = mark.Position
	return tx.Chains.Mark(ctx, mark, key.Sign(head))
}
