package events

import (
	"context"

	"tilth/core/event"
	"tilth/core/webhook"
	"tilth/ports"
)

// pruneRows is how many rows one transaction prunes.
const pruneRows = 500

// Sequencer is the consumer that gives committed events their positions in the feeds of their
// companies. An event that has its position is done.
type Sequencer struct {
	Store ports.Store
	Clock ports.Clock
}

// Place returns the events of a batch, and all that are older, their positions, and returns the
// batch with them. An event that comes again keeps its position.
func (s *Sequencer) Place(ctx context.Context, batch []CloudEvent) ([]CloudEvent, error) {
	ids := make([]string, len(batch))
	for i, e := range batch {
		ids[i] = e.ID
	}
	var positions map[string]int64
	err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		// More than one round where another replica has claimed older events and not placed them yet.
		for waiting := true; waiting; {
			_, err := tx.Events.Assign(ctx, s.Clock.Now(), len(batch))
			if err != nil {
				return err
			}
			if positions, err = tx.Events.Positions(ctx, ids); err != nil || len(positions) == len(ids) {
				return err
			}
			if waiting, err = tx.Events.Waiting(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	out := make([]CloudEvent, len(batch))
	for i, e := range batch {
		out[i] = e.at(positions[e.ID])
	}
	return out, err
}

// Prune removes the events, and the deliveries, that are older than they are kept, in
// small transactions, and returns how many rows there were.
func (s *Sequencer) Prune(ctx context.Context) (total int64, err error) {
	now := s.Clock.Now()
	for _, prune := range []func(ctx context.Context, tx ports.OperatorRepos) (int64, error){
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Events.Prune(ctx, now.Add(-event.Kept), pruneRows)
		},
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Webhooks.Prune(ctx, now.Add(-webhook.KeptFor), pruneRows)
		},
	} {
		for n := int64(pruneRows); n == pruneRows; total += n {
			err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
				n, err = prune(ctx, tx)
				return err
			})
			if err != nil {
				return total, err
			}
		}
	}
	return total, nil
}
