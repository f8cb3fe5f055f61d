package operating

import (
	"context"

	"tilth/app"
	"tilth/app/events"
	"tilth/core/fault"
	"tilth/ports"
)

// deadLetters selects the events on which a consumer has failed for good.
func deadLetters(limit int64) ports.Query {
	return ports.Query{Limit: limit, Filters: []ports.Filter{{Name: "kind", Value: events.AsideJob}, {Name: "state", Value: string(ports.JobFailed)}}}
}

// DeadLetters returns up to limit events on which a consumer has failed for good, as jobs with their reasons; 0: all.
func (o *Operating) DeadLetters(ctx context.Context, limit int64) (app.List[ports.KeptJob], error) {
	return o.Jobs(ctx, deadLetters(limit))
}

// ReplayDeadLetter hands a dead letter to its consumer again. Faults: NotFound; Conflict (job_not_failed) if a replay is under way.
func (o *Operating) ReplayDeadLetter(ctx context.Context, id int64) (ports.KeptJob, error) {
	job, err := o.Job(ctx, id)
	if err == nil && job.Kind != events.AsideJob {
		err = fault.Missing("dead letter")
	}
	if err != nil {
		return job, err
	}
	return o.RetryJob(ctx, id)
}

// ReplayDeadLetters replays all dead letters, and returns their number.
func (o *Operating) ReplayDeadLetters(ctx context.Context) (replayed int, err error) {
	list, err := o.DeadLetters(ctx, 0)
	if err != nil {
		return 0, err
	}
	var ids []int64
	for job, err := range list.Each {
		if err != nil {
			return 0, err
		}
		ids = append(ids, job.ID)
	}
	for _, id := range ids {
		if _, err := o.ReplayDeadLetter(ctx, id); err != nil {
			return replayed, err
		}
		replayed++
	}
	return replayed, nil
}
