package wire

import (
	"context"
	"sync"
	"time"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/adapters/messaging/hooks"
	"tilth/app/events"
)

// hookWorkers is how many webhooks are sent to at a time: with a timeout of 10 seconds,
// slow addresses keep as many workers busy and no other work.
const hookWorkers = 8

// eventsPrunedEvery is how often the events, and deliveries, of days past are forgotten.
const eventsPrunedEvery = 10 * time.Minute

// newSender makes what posts to webhooks.
func newSender(cfg cli.Config) *hooks.Sender {
	return hooks.New(hooks.Rules{AllowHTTP: cfg.WebhookAllowHTTP, AllowPrivate: cfg.WebhookAllowPrivate}, version)
}

// newHookPool makes the workers that deliver to webhooks, apart from all others.
func (r *Running) newHookPool() *messaging.Pool {
	return &messaging.Pool{
		Queue: r.db.QueueOf(events.WebhookJob), Clock: identity.Clock{}, Log: r.log, Workers: hookWorkers,
		Handlers: map[string]messaging.Handler{events.WebhookJob: r.parts.Courier.Run},
	}
}

// forgetEvents prunes events and deliveries, at once and then from time to time.
func (r *Running) forgetEvents(ctx context.Context) error {
	ticker := time.NewTicker(eventsPrunedEvery)
	defer ticker.Stop()
	for {
		if n, err := r.parts.Sequencer.Prune(ctx); err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "old events could not be pruned", "error", err)
		} else if n > 0 {
			r.log.InfoContext(ctx, "old events pruned", "rows", n)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// tell delivers to webhooks and keeps the event streams of this process informed.
func (r *Running) tell(ctx context.Context) error {
	defer r.sender.Close()
	var feeding sync.WaitGroup
	feeding.Go(func() { r.parts.Interface.Events.Run(ctx, r.log) })
	defer feeding.Wait()
	return r.hooks.Run(ctx)
}
