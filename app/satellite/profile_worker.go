package satellite

import (
	"context"
	"log/slog"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ProfileComputer computes one series, without a database.
type ProfileComputer interface {
	Compute(ctx context.Context, req SeriesRequest) (vegetation.Series, error)
}

// ProfileWorker computes ordered profiles, and series of active orders in other readings.
type ProfileWorker struct {
	runner   task.Runner[ports.Repos]
	computer ProfileComputer
}

// NewProfileWorker makes a worker.
func NewProfileWorker(deps app.Deps, computer ProfileComputer, log *slog.Logger) *ProfileWorker {
	return &ProfileWorker{task.ForCompany(deps.Store, deps.Clock, deps.IDs, log), computer}
}

// Run does one job of [ProfileJob]: it computes an ordered profile.
func (w *ProfileWorker) Run(ctx context.Context, job ports.Job) error {
	compute := func(ctx context.Context, order vegetation.OrderState) (made, error) {
		series, err := w.compute(ctx, order, order.Reading())
		return made{series: series}, err
	}
	return task.Do(ctx, w.runner, orderLimits, orderWork{profiles, compute, w.runner.IDs}, job)
}

// compute returns the series of an order in a reading.
func (w *ProfileWorker) compute(ctx context.Context, order vegetation.OrderState, reading vegetation.Reading) (vegetation.Series, error) {
	index, err := vegetation.ParseIndex(string(reading.Index))
	if err != nil {
		return vegetation.Series{}, err
	}
	return w.computer.Compute(ctx, SeriesRequest{
		Boundary: order.Boundary, From: order.StartDate, To: order.EndDate, Index: index, Mask: reading.Mask, Dataset: reading.Dataset,
	})
}
