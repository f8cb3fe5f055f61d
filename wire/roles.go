package wire

import (
	"context"
	"errors"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"tilth/adapters/cli"
	"tilth/adapters/messaging"
	"tilth/adapters/persistence/sqlstore"
	"tilth/wire/heap"
)

// Serve does what the roles of the process ask for until the context ends, then finishes its requests and returns its jobs to
// the queue.
func (r *Running) Serve(ctx context.Context, on Listeners) error {
	defer func() { _ = r.close() }()
	group, ctx := errgroup.WithContext(ctx)
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error {
		// Requests end first: what they enqueue is in the database, for whoever comes next.
		defer stopBackground()
		if r.roles.API {
			return r.http.Serve(ctx, on.Main)
		}
		<-ctx.Done()
		return nil
	})
	if on.Admin != nil {
		group.Go(func() error { return r.http.ServeAdmin(background, on.Admin) })
	}
	group.Go(func() error { return r.db.Watch(background) })
	if r.roles.API {
		r.answer(background, group, on)
	}
	if r.roles.Relay || r.consumes() {
		group.Go(func() error { return r.bus.Run(background) })
	}
	if r.roles.Worker {
		r.work(background, group)
	}
	if r.demo != nil {
		group.Go(func() error {
			r.furnish(background)
			return nil
		})
	}
	err := group.Wait()
	if r.roles.Worker {
		r.chainRest(ctx)
	}
	r.sender.Close()
	return err
}

// furnish computes the results of the demonstration. The server works all the same without them.
func (r *Running) furnish(ctx context.Context) {
	if err := r.parts.Demo.Furnish(ctx, *r.demo); err != nil && ctx.Err() == nil {
		r.log.WarnContext(ctx, "a part of the demonstration is missing; it is tried again with the next start", "error", err)
	} else if err == nil {
		r.log.InfoContext(ctx, "the demonstration is complete")
	}
}

// answer runs what the answers to requests depend on.
func (r *Running) answer(ctx context.Context, group *errgroup.Group, on Listeners) {
	r.keepCertificates(ctx, group, on.Plain)
	group.Go(func() error { return r.shareRates(ctx) })
	group.Go(func() error {
		rhythm := messaging.Rhythm{Latest: r.db.LookEvery(), Woken: r.db.Wakes(sqlstore.FeedsGrew), Gap: followGap}
		return every(ctx, r.log, slog.LevelDebug, rhythm, "streams were woken", r.parts.Interface.Events.Feed.Look) // it logs what fails
	})
}

// consumes turns the bus of a process without the relay into one that only wakes the streams of this process; it returns false
// where the process has no streams, or nothing comes over a broker.
func (r *Running) consumes() bool {
	if !r.roles.API || r.broker == nil {
		return false
	}
	r.bus.Relay = nil
	for name, consumer := range r.bus.Consumers {
		if !consumer.Everywhere {
			delete(r.bus.Consumers, name)
		}
	}
	return true
}

// work does the work in the background, and the chores.
func (r *Running) work(ctx context.Context, group *errgroup.Group) {
	group.Go(func() error { return r.pool.Run(ctx) })
	group.Go(func() error { return r.hooks.Run(ctx) })
	group.Go(func() error { return r.chores.Run(ctx) })
	group.Go(func() error { return r.chain(ctx) })
	r.tidy(ctx, group)
}

// Serve runs `tilth serve` and `tilth worker`.
func (Program) Serve(ctx context.Context, cfg cli.Config, log *slog.Logger, opts cli.ServeOptions) error {
	on, err := listen(ctx, cfg, log)
	defer on.close()
	if err != nil {
		return err
	}
	settled := heap.Grow()
	r, err := Assemble(ctx, cfg, log, opts)
	defer settled()()
	if err != nil {
		return err
	}
	if !r.roles.API {
		log.Info("working", "roles", cfg.Roles, "jobs at a time", cfg.Workers)
	} else if err := r.greet(ctx, opts, on.Main.Addr()); err != nil {
		return errors.Join(err, r.close())
	}
	return r.Serve(ctx, on)
}
