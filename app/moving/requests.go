package moving

import (
	"context"
	"io"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/moving"
	"tilth/core/record"
	coretask "tilth/core/task"
	"tilth/ports"
)

// Exports holds the use cases of people who take their company's data with them: an export is made in the background, and
// its file stays available for a while.
type Exports struct {
	app.Deps
	Mover *Mover
	Log   *slog.Logger
}

// ExportJob is the kind of the background jobs that make exports.
const ExportJob = "company_export"

// exportFolder is the folder of the files.
const exportFolder = "exports/"

// Start asks for an export of the caller's company. Faults: Conflict (export_running).
func (e *Exports) Start(ctx context.Context, who access.Principal) (moving.Request, error) {
	if err := e.Gate.Require(ctx, who, access.ExportCompany); err != nil {
		return moving.Request{}, err
	}
	return app.In(ctx, e.Store.Write, func(ctx context.Context, tx ports.Repos) (moving.Request, error) {
		now := e.Clock.Now()
		out := moving.Request{
			CreatedBy: record.Ref{ID: who.UserID, Name: who.Name}, Operator: who.Operator, CreatedAt: now, UpdatedAt: now,
			Status: moving.Queued, Object: exportFolder + e.IDs.UUID(),
		}
		if err := tx.CompanyExports.Insert(ctx, who.Scope(false), &out); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(ExportJob, out.CompanyID, out.ID, now))
	})
}

// Retrieve returns an export. Faults: NotFound.
func (e *Exports) Retrieve(ctx context.Context, who access.Principal, id int64) (moving.Request, error) {
	return app.Read(ctx, e.Deps, who, access.ExportCompany, func(ctx context.Context, tx ports.Repos) (moving.Request, error) {
		return tx.CompanyExports.Get(ctx, who.Scope(false), id)
	})
}

// File returns a function that writes the file of an export. Faults: NotFound, Conflict (export_not_ready), Unavailable.
func (e *Exports) File(ctx context.Context, who access.Principal, id int64) (moving.Request, func(w io.Writer) error, error) {
	export, err := e.Retrieve(ctx, who, id)
	if err != nil {
		return export, nil, err
	}
	if export.Status != moving.Completed {
		return export, nil, fault.Newf(fault.Conflict, "export_not_ready", "The export is %s; it has no file.", export.Status)
	}
	file, err := e.Mover.Objects.Open(ctx, export.Object)
	if err != nil {
		return export, nil, err
	}
	return export, func(w io.Writer) error {
		defer func() { _ = file.Close() }() // it was only read
		_, err := io.Copy(w, io.NewSectionReader(file, 0, file.Size()))
		return err
	}, nil
}

// claimLimit ends an export that kills its worker every time.
const claimLimit = 25

// retry is the schedule of an export whose database or store of files is unavailable.
var retry = coretask.Backoff{First: 30 * time.Second, Max: time.Hour, Tries: 8}

// Run does one job of [ExportJob].
func (e *Exports) Run(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, task.ForCompany(e.Store, e.Clock, e.IDs, e.Log), task.Limits{Claims: claimLimit}, exportWork{e, job.Attempt}, job)
}

// exportWork makes one export.
type exportWork struct {
	*Exports
	attempt int
}

// written is a file that was stored.
type written struct {
	Exported
	bytes int64
}

func (exportWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (moving.Request, task.Next, error) {
	s, err := run.Tx.CompanyExports.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) || err == nil && !s.Open() {
		return s, task.Finish(), nil
	}
	return s, task.Continue(), err
}

func (exportWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *moving.Request) (task.Next, error) {
	s.Status, s.UpdatedAt = moving.Running, run.Now
	return task.Continue(), run.Tx.CompanyExports.Update(ctx, run.Scope, *s)
}

// Do stores the file whole or not at all; a file left by a killed worker is replaced.
func (w exportWork) Do(ctx context.Context, s moving.Request) (out written, err error) {
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		var failed error
		out.Exported, failed = w.Mover.Write(ctx, s.CompanyID, false, to)
		_ = to.CloseWithError(failed) // it never fails
		done <- failed
	}()
	size, err := w.Mover.Objects.Put(ctx, s.Object, from)
	_ = from.CloseWithError(io.ErrClosedPipe) // releases the writer if the store stopped reading; it never fails
	if failed := <-done; failed != nil && err == nil {
		err = failed
	}
	out.bytes = size
	return out, err
}

// Same is true for every open export: there is nothing that could be asked for differently.
func (exportWork) Same(_, _ moving.Request) bool { return true }

func (exportWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *moving.Request, out written) (task.Next, error) {
	s.Status, s.UpdatedAt, s.Bytes, s.Rows, s.SHA256 = moving.Completed, run.Now, out.bytes, out.Exported.Rows(), out.SHA256
	if err := run.Tx.CompanyExports.Update(ctx, run.Scope, *s); err != nil {
		return task.Next{}, err
	}
	by := audit.Entry{CompanyID: s.CompanyID, At: run.Now, User: &access.Named{ID: s.CreatedBy.ID, Name: s.CreatedBy.Name}, Operator: s.Operator}
	return task.Finish(), run.Tx.Audit.Add(ctx, by.Of(Exporting, "company", s.CompanyID, out.changes()))
}

// Unavailable abandons an export that cannot be made as things stand, and retries one whose source may come back.
func (w exportWork) Unavailable(ctx context.Context, run task.Run[ports.Repos], s moving.Request, cause error) (task.Next, error) {
	if f, ok := fault.As(cause); ok && f.Kind == fault.Conflict {
		return task.GiveUp(f.Message), nil
	}
	pause, again := retry.Wait(w.attempt, run.Jitter)
	if !again {
		return task.GiveUp("The export could not be made: the database or the store of files was unavailable for too long."), nil
	}
	s.Status, s.UpdatedAt = moving.Queued, run.Now
	return task.Again(run.Now.Add(pause)), run.Tx.CompanyExports.Update(ctx, run.Scope, s)
}

func (exportWork) Fail(ctx context.Context, run task.Run[ports.Repos], s moving.Request, reason string) error {
	s.Status, s.Reason, s.UpdatedAt = moving.Failed, reason, run.Now
	return run.Tx.CompanyExports.Update(ctx, run.Scope, s)
}

const sweepRows = 100

// Sweep removes exports past their retention: their files first, then their records. It returns the number removed.
func (e *Exports) Sweep(ctx context.Context) (total int64, err error) {
	for {
		old, err := app.In(ctx, e.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]moving.Request, error) {
			return tx.CompanyExports.Old(ctx, e.Clock.Now().Add(-moving.Kept), sweepRows)
		})
		if err != nil || len(old) == 0 {
			return total, err
		}
		ids := make([]int64, len(old))
		for i, one := range old {
			if err := e.Mover.Objects.Remove(ctx, one.Object); err != nil {
				return total, err
			}
			ids[i] = one.ID
		}
		if err := e.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.CompanyExports.Forget(ctx, ids) }); err != nil {
			return total, err
		}
		total += int64(len(ids))
	}
}
