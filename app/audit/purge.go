package audit

import (
	"context"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/core/chain"
	"tilth/ports"
)

// Purge removes the entries of the trails of all companies that are older than they are kept,
// below a signed checkpoint alone, in small transactions, and returns how many. A chain that
// is broken is left as it is, for whoever examines it.
func (s *Sequencer) Purge(ctx context.Context, log *slog.Logger, kept time.Duration) (total int64, err error) {
	if kept == 0 {
		return 0, nil
	}
	before := s.Clock.Now().Add(-kept)
	companies, err := app.In(ctx, s.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]int64, error) {
		return tx.Chains.Companies(ctx)
	})
	if err != nil {
		return 0, err
	}
	for _, company := range companies {
		n, err := s.purge(ctx, log, chain.ID{Name: chain.Audit, CompanyID: company}, before)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (s *Sequencer) purge(ctx context.Context, log *slog.Logger, id chain.ID, before time.Time) (int64, error) {
	var mark, head chain.Checkpoint
	err := s.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		if head, err = tx.Chains.Head(ctx, id); err != nil {
			return err
		}
		mark, err = tx.Chains.Before(ctx, id, before)
		return err
	})
	if err != nil {
		return 0, err
	}
	if mark.Position > head.Purged {
		for found, err := range (&Verifier{Store: s.Store}).Verify(ctx, id.Name, id.CompanyID) {
			if err != nil {
				return 0, err
			}
			if found.Broken != nil {
				log.ErrorContext(ctx, "a broken chain is not purged; see `tilth verify`", "chain", id.Name, "company", id.CompanyID, "broken", found.Broken.String())
				return 0, nil
			}
		}
		if err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return s.mark(ctx, tx, mark) }); err != nil {
			return 0, err
		}
	}
	return app.InPieces(ctx, s.Store, chainRows, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		if err := tx.Chains.Lock(ctx); err != nil {
			return 0, err
		}
		return tx.Chains.RemovePurged(ctx, id, chainRows)
	})
}

// mark signs that the rows of a chain up to a checkpoint may be removed.
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
