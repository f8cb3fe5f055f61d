package farm

import (
	"context"
	"fmt"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// ImportJob is the kind of the background jobs of imports.
const ImportJob = "field_import"

// importChunk is how many features are stored in one transaction. It holds the farm, and in
// SQLite all other writers, for a fraction of a second.
const importChunk = 500

// importClaimLimit ends an import that kills its worker every time.
const importClaimLimit = 25

// Run works through a queued import. It may be killed at any moment: a piece of the file
// is stored together with how far the import is, and who comes next goes on from there.
// It returns an error only when the job must be given back as it is.
func (in *Imports) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	var record farm.Import
	err := in.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		record, err = tx.Imports.Get(ctx, scope, job.Subject)
		return err
	})
	if err != nil {
		return err
	}
	switch err := in.work(ctx, job, &record); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.Is(err, fault.NotFound):
		return in.giveUp(ctx, job, record, "The farm, or the file, is gone.")
	case fault.Is(err, fault.Invalid):
		known, _ := fault.As(err)
		return in.giveUp(ctx, job, record, known.Error())
	default:
		return err
	}
}

// work runs the passes that an import has left.
func (in *Imports) work(ctx context.Context, job ports.Job, record *farm.Import) error {
	if !record.Open() {
		return in.end(ctx, job, record)
	}
	if job.Attempt > importClaimLimit {
		return in.giveUp(ctx, job, *record, "The import was broken off too often.")
	}
	stored, err := in.deps.Objects.Open(ctx, record.Object)
	if err != nil {
		return err
	}
	defer stored.Close()
	for record.Open() {
		if err := in.pass(ctx, record, stored); err != nil {
			return err
		}
		if err := in.end(ctx, job, record); err != nil {
			return err
		}
	}
	return nil
}

// pass judges the features that are left of a pass, piece by piece.
func (in *Imports) pass(ctx context.Context, record *farm.Import, stored ports.Object) error {
	var at int64
	known := newKnownIDs()
	chunk := make([]importCandidate, 0, importChunk)
	for f, err := range in.deps.Outlines.Read(ctx, record.Media, stored) {
		if err != nil {
			return err
		}
		c := prepareCandidate(at, f, record.ImportOptions, known)
		if at++; at <= record.Done {
			continue // stored before
		}
		if chunk = append(chunk, c); len(chunk) == importChunk {
			if err := in.piece(ctx, record, chunk); err != nil {
				return err
			}
			clear(chunk) // the outlines are not held until the next ones are read
			chunk = chunk[:0]
		}
	}
	if len(chunk) == 0 {
		return nil
	}
	return in.piece(ctx, record, chunk)
}

// piece judges one piece of the file and notes it, in one transaction where it stores. A
// dry one is judged in a transaction that is taken back, and then noted.
func (in *Imports) piece(ctx context.Context, record *farm.Import, chunk []importCandidate) error {
	who := access.Principal{UserID: record.CreatedBy.ID, Name: record.CreatedBy.Name, CompanyID: record.CompanyID}
	var judged []farm.Judged
	if record.Checking {
		var err error
		if judged, err = in.judge(ctx, who, record.ImportOptions, chunk, false, true); err != nil {
			return err
		}
	}
	var advanced farm.Import
	err := in.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		current, err := in.current(ctx, tx, *record)
		if err != nil {
			return err
		}
		if !current.Checking {
			if judged, err = in.settle(ctx, tx, who, record.ImportOptions, chunk, false); err != nil {
				return err
			}
		}
		room := MaxKeptFailures - current.Failed
		current.Advance(judged, in.deps.Clock.Now())
		if err := tx.Imports.AddFailures(ctx, who.Scope(false), record.ID, failuresOf(judged, room)); err != nil {
			return err
		}
		advanced = current
		return tx.Imports.Update(ctx, who.Scope(false), current)
	})
	if err == nil {
		*record = advanced
	}
	return err
}

// current returns the import under a lock. Where it has moved since it was read, another
// worker has the job: this one must store nothing.
func (in *Imports) current(ctx context.Context, tx ports.Repos, read farm.Import) (farm.Import, error) {
	current, err := tx.Imports.GetForUpdate(ctx, access.Own(read.CompanyID), read.ID)
	if err == nil && (current.Done != read.Done || current.Checking != read.Checking || !current.Open()) {
		err = fault.New(fault.Conflict, "lease_lost", "Another worker has this import.")
	}
	return current, err
}

// failuresOf returns the features that fail, at most as many as there is room for.
func failuresOf(judged []farm.Judged, room int64) []farm.Judged {
	var out []farm.Judged
	for _, j := range judged {
		if j.Verdict == farm.VerdictFail && int64(len(out)) < room {
			out = append(out, j)
		}
	}
	return out
}

// end ends a pass, and with the last one the job; then the file goes.
func (in *Imports) end(ctx context.Context, job ports.Job, record *farm.Import) error {
	ended := *record
	err := in.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if !record.Open() {
			return tx.Jobs.Finish(ctx, job)
		}
		current, err := in.current(ctx, tx, *record)
		if err != nil {
			return err
		}
		again := current.EndPass(in.deps.Clock.Now())
		if err := tx.Imports.Update(ctx, access.Own(record.CompanyID), current); err != nil {
			return err
		}
		if ended = current; again {
			return nil
		}
		return tx.Jobs.Finish(ctx, job)
	})
	if err != nil {
		return err
	}
	if *record = ended; record.Open() {
		return nil
	}
	return in.clean(ctx, *record)
}

// giveUp breaks an import off, for a reason that its owner can read.
func (in *Imports) giveUp(ctx context.Context, job ports.Job, record farm.Import, reason string) error {
	err := in.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		current, err := tx.Imports.GetForUpdate(ctx, access.Own(record.CompanyID), record.ID)
		if err != nil {
			return err
		}
		if current.Open() {
			current.Fail(fmt.Sprintf("%s %d of %d features were done.", reason, current.Done, current.Total), in.deps.Clock.Now())
			if err := tx.Imports.Update(ctx, access.Own(record.CompanyID), current); err != nil {
				return err
			}
		}
		return tx.Jobs.Finish(ctx, job)
	})
	if err != nil {
		return err
	}
	return in.clean(ctx, record)
}

// clean removes the file of an import that has ended. One that cannot be removed now goes
// with those that have lain too long.
func (in *Imports) clean(ctx context.Context, record farm.Import) error {
	return in.deps.Objects.Remove(context.WithoutCancel(ctx), record.Object)
}
