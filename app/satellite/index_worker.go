package satellite

import (
	"cmp"
	"context"
	"strings"

	"tilth/app/task"
	"tilth/core/vegetation"
	"tilth/ports"
)

// RunIndex does one job of [IndexJobKind]: it computes the series of an active order for another index.
func (w *ProfileWorker) RunIndex(ctx context.Context, job ports.Job) error {
	_, code, _ := strings.Cut(job.Key, ":")
	index, err := vegetation.ParseIndex(code)
	if err != nil {
		return err
	}
	return task.Do(ctx, w.runner, profileLimits, indexWork{w, index}, job)
}

// indexWork computes the series of an order for another index than its own.
type indexWork struct {
	*ProfileWorker
	index vegetation.Index
}

// derived is what is derived of an order.
type derived struct {
	order vegetation.OrderState
	vegetation.Derivation
}

func (w indexWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s derived, next task.Next, err error) {
	if s.order, err = run.Tx.Orders.GetForUpdate(ctx, run.Scope, run.Job.Subject); err != nil {
		return s, next, err
	}
	found := false
	s.Derivation, found, err = run.Tx.Orders.Derivation(ctx, run.Scope, s.order.ID, w.index.Code)
	if !found || s.order.Status != vegetation.Active {
		next = task.Finish() // nobody asks for it any more
	}
	return s, next, err
}

func (indexWork) Begin(context.Context, task.Run[ports.Repos], *derived) (task.Next, error) {
	return task.Continue(), nil
}

func (w indexWork) Do(ctx context.Context, s derived) (vegetation.Series, error) {
	return w.compute(ctx, s.order, w.index)
}

// Same is false where the archive was searched for the order meanwhile: it may hold other dates now.
func (indexWork) Same(began, current derived) bool {
	a, b := began.order.LastCheckedAt, current.order.LastCheckedAt
	return a == b || a != nil && b != nil && a.Equal(*b)
}

func (indexWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *derived, computed vegetation.Series) (task.Next, error) {
	if err := run.Tx.Orders.PutSeries(ctx, run.Scope, s.order.ID, computed); err != nil {
		return task.Next{}, err
	}
	s.Derivation.Complete(s.order, run.Now)
	return task.Finish(), run.Tx.Orders.PutDerivation(ctx, run.Scope, s.Derivation)
}

func (indexWork) Unavailable(ctx context.Context, run task.Run[ports.Repos], s derived, _ error) (task.Next, error) {
	at, again := s.SourceUnavailable(s.order, run.Now, run.Jitter)
	if !again {
		return task.GiveUp(cmp.Or(s.Reason, "The imagery source could not be reached.")), nil
	}
	return task.Again(at), run.Tx.Orders.PutDerivation(ctx, run.Scope, s.Derivation)
}

func (indexWork) Fail(ctx context.Context, run task.Run[ports.Repos], s derived, reason string) error {
	s.Derivation.Fail(s.order, run.Now, reason)
	return run.Tx.Orders.PutDerivation(ctx, run.Scope, s.Derivation)
}
