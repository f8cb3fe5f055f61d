package satellite

import (
	"cmp"
	"context"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/monitoring"
	"tilth/core/phenology"
	"tilth/core/vegetation"
	"tilth/ports"
)

// dueAtOnce is the number of watched profiles that one transaction queues.
const dueAtOnce = 2_000

// The actions of watching a profile.
const (
	Watch   audit.Action = "watch"
	Unwatch audit.Action = "unwatch"
)

// watched is the form in which the audit trail records how an order is watched.
type watched struct{ Rules []monitoring.Rule }

// Monitor returns how an order is watched. Faults: NotFound.
func (o *Profiles) Monitor(ctx context.Context, who access.Principal, id int64) (monitoring.Monitor, error) {
	return app.Read(ctx, o.Deps, who, access.ProfileOrders.View, func(ctx context.Context, tx ports.Repos) (monitoring.Monitor, error) {
		return monitorOf(ctx, tx, who.Scope(false), id)
	})
}

// monitorOf returns how an order is watched; if it is not, the fault says that, and not that the order is missing.
func monitorOf(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (monitoring.Monitor, error) {
	if _, err := tx.Orders.Get(ctx, scope, id); err != nil {
		return monitoring.Monitor{}, err
	}
	m, err := tx.Monitors.Get(ctx, scope, id)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "not_found", "This profile is not watched. Fix: POST its rules here, or {} for the default ones.")
	}
	return m, err
}

// Watch sets the rules by which an active profile is watched, replacing existing ones: the profile is kept up to date through
// its season, and a rule that finds something raises one alert, immediately if it can already be seen. Faults: NotFound,
// Invalid (rules), Conflict (order_state).
func (o *Profiles) Watch(ctx context.Context, who access.Principal, id int64, rules []monitoring.Rule) (monitoring.Monitor, error) {
	scope, now := who.Scope(false), o.Clock.Now()
	if err := monitoring.CheckRules(rules).Err(); err != nil {
		return monitoring.Monitor{}, err
	}
	return app.Write(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) (m monitoring.Monitor, err error) {
		order, err := tx.Orders.GetForUpdate(ctx, scope, id)
		if err != nil {
			return m, err
		}
		if order.Status != vegetation.Active {
			return m, fault.Newf(fault.Conflict, "order_state", "The order is %s; a profile is watched once it is active.", order.Status).With("status", string(order.Status))
		}
		before, err := tx.Monitors.Get(ctx, scope, id)
		if fault.Is(err, fault.NotFound) {
			before, err = monitoring.Monitor{OrderID: id, CreatedAt: now}, nil
		}
		if err != nil {
			return m, err
		}
		m = before
		m.Replace(rules, now)
		m.FieldID, m.SeasonID = order.FieldID, order.SeasonID
		series, err := tx.Orders.Series(ctx, scope, id, order.Reading())
		if err != nil {
			return m, err
		}
		if err := raise(ctx, tx, scope, alarm{order, series, o.IDs, now}, &m); err != nil {
			return m, err
		}
		was, is := watched{before.Rules}, watched{m.Rules}
		return m, tx.Audit.Add(ctx, audit.By(who, now).Of(Watch, access.ProfileOrders.Name, id, audit.Diff(&was, &is)))
	})
}

// Monitors returns how the company's profiles are watched; filters are id, field, season, farm and alerted.
func (o *Profiles) Monitors(ctx context.Context, who access.Principal, q ports.Query) (app.List[monitoring.Monitor], error) {
	return app.ListIn(ctx, o.Deps, app.Ask{Who: who, Need: access.ProfileOrders.View}, q, func(tx ports.Repos) ports.Monitors { return tx.Monitors })
}

// WatchMany sets the same rules for active profiles, all or none, replacing those that each has. What can already be seen is
// reported after the next check. Faults: NotFound, with the ids in details; Invalid (rules); Conflict (order_state, with the
// ids).
func (o *Profiles) WatchMany(ctx context.Context, who access.Principal, ids []int64, rules []monitoring.Rule) ([]monitoring.Monitor, error) {
	scope, now := who.Scope(false), o.Clock.Now()
	if err := monitoring.CheckRules(rules).Err(); err != nil {
		return nil, err
	}
	return app.Write(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) ([]monitoring.Monitor, error) {
		orders := map[int64]vegetation.OrderState{}
		for order, err := range tx.Orders.Each(ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "id", Value: ids}}}) {
			if err != nil {
				return nil, err
			}
			orders[order.ID] = order
		}
		if err := watchable(ids, orders); err != nil {
			return nil, err
		}
		before, err := tx.Monitors.Of(ctx, scope, ids)
		if err != nil {
			return nil, err
		}
		out, entries := make([]monitoring.Monitor, len(ids)), make([]audit.Entry, len(ids))
		for i, id := range ids {
			m, there := before[id]
			if !there {
				m = monitoring.Monitor{OrderID: id, CreatedAt: now}
			}
			was := watched{m.Rules}
			m.Replace(rules, now)
			m.FieldID, m.SeasonID = orders[id].FieldID, orders[id].SeasonID
			out[i], entries[i] = m, audit.By(who, now).Of(Watch, access.ProfileOrders.Name, id, audit.Diff(&was, &watched{rules}))
		}
		if err := tx.Monitors.Put(ctx, scope, out...); err != nil {
			return nil, err
		}
		return out, tx.Audit.Add(ctx, entries...)
	})
}

// watchable refuses orders that do not exist or are not active.
func watchable(ids []int64, orders map[int64]vegetation.OrderState) error {
	missing, resting := []int64{}, []int64{}
	for _, id := range ids {
		switch order, ok := orders[id]; {
		case !ok:
			missing = append(missing, id)
		case order.Status != vegetation.Active:
			resting = append(resting, id)
		}
	}
	switch {
	case len(missing) > 0:
		return fault.Missing("order").With("ids", missing)
	case len(resting) > 0:
		return fault.New(fault.Conflict, "order_state", "Only active profiles can be watched; those in details.ids are not active.").
			With("ids", resting)
	}
	return nil
}

// Unwatch ends the watching of a profile. Faults: NotFound.
func (o *Profiles) Unwatch(ctx context.Context, who access.Principal, id int64) error {
	scope, now := who.Scope(false), o.Clock.Now()
	return app.Do(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) error {
		if _, err := tx.Orders.GetForUpdate(ctx, scope, id); err != nil {
			return err
		}
		before, err := monitorOf(ctx, tx, scope, id)
		if err != nil {
			return err
		}
		if err := tx.Monitors.Remove(ctx, scope, id); err != nil {
			return err
		}
		was := watched{before.Rules}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(Unwatch, access.ProfileOrders.Name, id, audit.Diff(&was, &watched{})))
	})
}

// LookForDue queues a refresh of each watched profile whose last check is old enough, spread over the time until the next
// call. It returns their number.
func (o *Profiles) LookForDue(ctx context.Context) (queued int64, err error) {
	for now, after := o.Clock.Now(), int64(0); ; {
		due, err := o.queueDue(ctx, now, after)
		queued += int64(len(due))
		if err != nil || len(due) < dueAtOnce {
			return queued, err
		}
		after = due[len(due)-1].OrderID
	}
}

// queueDue queues the refreshes of the watched profiles that are due, for orders after a given one.
func (o *Profiles) queueDue(ctx context.Context, now time.Time, after int64) ([]ports.Watched, error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) ([]ports.Watched, error) {
		due, err := tx.Monitors.Due(ctx, now.Add(-vegetation.RefreshAfter), now.Add(-vegetation.RefreshGrace).AddDate(0, 0, -1), after, dueAtOnce)
		for _, one := range due {
			if err := tx.Jobs.Enqueue(ctx, task.JobOn(RefreshJob, one.CompanyID, one.OrderID, now.Add(monitoring.Delay(one.OrderID)))); err != nil {
				return nil, err
			}
		}
		return due, err
	})
}

// alarm is an order with its own series, against which its rules are checked.
type alarm struct {
	order  vegetation.OrderState
	series vegetation.Series
	ids    ports.IDs
	now    time.Time
}

// raise checks the rules of a monitor against a series, and stores the monitor with an event for each alert.
func raise(ctx context.Context, tx ports.Repos, scope access.Scope, a alarm, m *monitoring.Monitor) error {
	others, err := activeOrders(tx.Orders.Each(ctx, scope, activeOf(maxSeasons+1, ports.Filter{Name: "field", Value: a.order.FieldID})), a.order, nil)
	if err != nil {
		return err
	}
	seasons, err := tx.Orders.SeriesOf(ctx, scope, others)
	if err != nil {
		return err
	}
	seen := monitoring.Seen{Series: a.series, Today: a.now.UTC().Truncate(24 * time.Hour)}
	seen.Years = phenology.WithYears(phenology.FitSeries(a.series, phenology.Whittaker), linesOf(seasons))
	raised := m.Raise(seen, a.now)
	for _, alert := range raised {
		if err := tx.Outbox.Add(ctx, a.event(alert)); err != nil {
			return err
		}
	}
	if err := a.notify(ctx, tx, scope, raised); err != nil {
		return err
	}
	return tx.Monitors.Put(ctx, scope, *m)
}

// notify leaves alerts for the letter of the day. A field or season that has been deleted meanwhile has no name.
func (a alarm) notify(ctx context.Context, tx ports.Repos, scope access.Scope, raised []monitoring.Raised) error {
	if len(raised) == 0 {
		return nil
	}
	field, err := tx.Fields.Get(ctx, profiles.land(a.order.CompanyID), a.order.FieldID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	season, err := tx.Seasons.Get(ctx, scope, a.order.SeasonID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	notices := make([]ports.AlertNotice, len(raised))
	for i, r := range raised {
		notices[i] = ports.AlertNotice{
			Field: cmp.Or(field.Name, "A field"), FieldID: a.order.FieldID, Season: cmp.Or(season.Name, a.order.StartDate.Format(time.DateOnly)),
			SeasonID: a.order.SeasonID, Index: string(a.series.Index), Date: r.Date.Format(time.DateOnly), Value: r.Value, Against: r.Against,
			Message: r.Message, At: a.now,
		}
	}
	return tx.Alerts.Put(ctx, scope, notices...)
}

func (a alarm) event(r monitoring.Raised) event.Event {
	return event.Event{
		ID: a.ids.UUID(), Type: event.TypeFieldAlert, CompanyID: a.order.CompanyID, Subject: "profile/" + a.order.UUID, At: a.now,
		Data: event.FieldAlert{
			ProfileUUID: a.order.UUID, OrderID: a.order.ID, Field: a.order.FieldID, FieldUUID: a.order.FieldUUID, Season: a.order.SeasonID,
			IndexCode: string(a.series.Index), Kind: string(r.Rule.Kind), Date: r.Date.Format(time.DateOnly), Value: r.Value, Against: r.Against, Message: r.Message,
		},
	}
}
