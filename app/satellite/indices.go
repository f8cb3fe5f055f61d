package satellite

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// IndexJob is the kind of the jobs that compute the series of an active order in a reading other than its own. Their
// key is the order's id and the reading; earlier jobs have only the index.
const IndexJob = "vi_profile_index"

// IndexWait is the time that a retrieve waits for a series that is being computed.
const IndexWait = 20 * time.Second

// A waiting retrieve checks again after lookFirst, then at growing intervals, up to lookMax.
const (
	lookFirst = 50 * time.Millisecond
	lookMax   = time.Second
)

// RetrieveReading returns an order with its series in a reading. If that is not the order's own and does not exist
// yet, it is computed in the background, once whoever asks, and awaited up to a time. After that the order is
// returned as processing, with an empty series, or as failed with the reason, for this reading. An order that is
// not active has no series in any reading. Nothing is charged. Faults: NotFound; Conflict (limit_reached).
func (o *Profiles) RetrieveReading(ctx context.Context, who access.Principal, shared bool, id int64, choice vegetation.Choice, wait time.Duration) (Profile, error) {
	if err := o.Gate.Require(ctx, who, access.ProfileOrders.View); err != nil {
		return Profile{}, err
	}
	scope := who.Scope(shared)
	out, seen, err := o.look(ctx, scope, id, choice)
	if err != nil || !seen.due {
		return out, err
	}
	if !seen.known || seen.Status != vegetation.Processing {
		if err := o.derive(ctx, out.Order, seen); err != nil {
			return out, err
		}
	}
	if out.Order.Status == vegetation.Active {
		return out, nil // the series exists, and is recomputed after the answer
	}
	out.Order.Status = vegetation.Processing
	return o.await(ctx, scope, out, choice, wait)
}

// await polls until the series exists or was given up, or the time is up.
func (o *Profiles) await(ctx context.Context, scope access.Scope, out Profile, choice vegetation.Choice, wait time.Duration) (Profile, error) {
	err := poll(ctx, wait, func() (_ bool, err error) {
		out, _, err = o.look(ctx, scope, out.Order.ID, choice)
		return out.Order.Status != vegetation.Processing, err
	})
	return out, err
}

// poll looks until the awaited result exists, looking fails, or the time is up.
func poll(ctx context.Context, wait time.Duration, look func() (there bool, err error)) error {
	until := time.NewTimer(wait)
	defer until.Stop()
	for pause := lookFirst; wait > 0; pause = min(2*pause, lookMax) {
		next := time.NewTimer(pause)
		select {
		case <-next.C:
		case <-until.C:
			next.Stop()
			return nil
		case <-ctx.Done():
			next.Stop()
			return ctx.Err()
		}
		if there, err := look(); err != nil || there {
			return err
		}
	}
	return nil
}

// derivation is a derivation as a retrieve found it.
type derivation struct {
	vegetation.Derivation
	known bool // it is stored
	due   bool // its series is to be computed
}

// look returns an order in its state for a reading, and the derivation of its series; there is none
// for the order's own, or while the order is not active.
func (o *Profiles) look(ctx context.Context, scope access.Scope, id int64, choice vegetation.Choice) (out Profile, seen derivation, err error) {
	now := o.Clock.Now()
	err = o.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if out.Order, err = tx.Orders.Get(ctx, scope, id); err != nil {
			return err
		}
		order, reading := out.Order, choice.Of(out.Order)
		if out.Series, err = tx.Orders.Series(ctx, scope, id, reading); err != nil || order.Reading() == reading {
			return err
		}
		if order.Status != vegetation.Active {
			out.Order = order.As(reading)
			return nil
		}
		if seen.Derivation, seen.known, err = tx.Orders.Derivation(ctx, scope, id, reading); err != nil {
			return err
		}
		if !seen.known {
			seen.Derivation = vegetation.NewDerivation(order, reading, now)
		}
		own := vegetation.Series{}
		if seen.Status == vegetation.Active && seen.Searched(order) {
			if own, err = tx.Orders.Series(ctx, scope, id, order.Reading()); err != nil {
				return err
			}
		}
		out.Order, seen.due = seen.As(order), seen.Due(order, own, out.Series, now)
		return nil
	})
	return out, seen, err
}

// derive queues the computation of the series of an active order in a reading. It is computed for
// the order's company, whoever looks: the series is part of its order, and costs nothing. If
// another request or a worker has changed the derivation since it was seen, it is left alone.
func (o *Profiles) derive(ctx context.Context, order vegetation.OrderState, seen derivation) error {
	scope, now := access.Own(order.CompanyID), o.Clock.Now()
	return o.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		current, err := tx.Orders.GetForUpdate(ctx, scope, order.ID)
		if err != nil || current.Status != vegetation.Active {
			return err
		}
		d, known, err := tx.Orders.Derivation(ctx, scope, order.ID, seen.Reading)
		if err != nil || known != seen.known || known && !d.UpdatedAt.Equal(seen.UpdatedAt) {
			return err
		}
		if !known {
			n, err := tx.Orders.CountDerivations(ctx, scope, order.ID)
			if err != nil {
				return err
			}
			if n >= vegetation.MaxReadings {
				return vegetation.TooManyReadings()
			}
			d = seen.Derivation
		}
		d.Begin(now)
		if err := tx.Orders.PutDerivation(ctx, scope, d); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, ports.Job{
			Kind: IndexJob, Key: strconv.FormatInt(order.ID, 10) + ":" + d.Reading.String(), CompanyID: order.CompanyID, Subject: order.ID, RunAt: now,
		})
	})
}

// RunIndex does one job of [IndexJob]: it computes the series of an active order in another reading.
func (w *ProfileWorker) RunIndex(ctx context.Context, job ports.Job) error {
	_, text, _ := strings.Cut(job.Key, ":")
	reading, err := vegetation.ParseReading(text)
	if err != nil {
		return err
	}
	return task.Do(ctx, w.runner, orderLimits, indexWork{w, reading}, job)
}

// indexWork computes the series of an order in a reading other than its own.
type indexWork struct {
	*ProfileWorker
	reading vegetation.Reading
}

// derived is an order with one of its derivations.
type derived struct {
	order vegetation.OrderState
	vegetation.Derivation
}

func (w indexWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s derived, next task.Next, err error) {
	s.order, err = run.Tx.Orders.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) { // its field is no longer shared
		return s, task.Finish(), nil
	}
	if err != nil {
		return s, next, err
	}
	found := false
	s.Derivation, found, err = run.Tx.Orders.Derivation(ctx, run.Scope, s.order.ID, w.reading)
	if !found || s.order.Status != vegetation.Active {
		next = task.Finish() // nobody asks for it any more
	}
	return s, next, err
}

func (indexWork) Begin(context.Context, task.Run[ports.Repos], *derived) (task.Next, error) {
	return task.Continue(), nil
}

func (w indexWork) Do(ctx context.Context, s derived) (vegetation.Series, error) {
	return w.compute(ctx, s.order, w.reading)
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
	if reason := computed.Empty(); reason != "" {
		s.Derivation.Fail(s.order, run.Now, reason)
	} else {
		s.Derivation.Complete(s.order, run.Now)
	}
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
