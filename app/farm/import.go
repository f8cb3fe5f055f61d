package farm

import (
	"context"
	"io"
	"log/slog"

	"tilth/app"
	"tilth/app/batches"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// MaxImportedAtOnce is how many features are imported within the request; a larger file is worked
// through in the background.
const MaxImportedAtOnce = 1_000

// MaxKeptFailures is how many refused features the report of a background import names; it
// counts all of them.
const MaxKeptFailures = 1_000

// folder is where uploaded files wait.
const folder = "imports"

// Imports is the use cases of import and export.
type Imports struct {
	app.Deps
	Objects  ports.Objects
	Outlines ports.Outlines
	Writer   ports.OutlineWriter
	Fields   *Records[farm.Field]
	Log      *slog.Logger
}

func (d *Imports) inbox() batches.Inbox {
	return batches.Inbox{Deps: d.Deps, Objects: d.Objects, Folder: folder}
}

// ImportFile is an uploaded file.
type ImportFile struct {
	Media string // content type; empty where the sender does not say
	Body  io.Reader
}

// ImportReport is an import with what became of its features.
type ImportReport = batch.Report[farm.ImportOptions, farm.Judged]

// Start imports a file, or hands a large one to the background. The file is asked for
// when the caller may import and the farm is there. A caller who names the property of
// the external ids may change fields, and needs the permission for that.
//
// Faults: Unauthenticated, Forbidden, NotFound (the farm); Invalid with "file" where the
// file cannot be read, and with code bulk_validation_failed where an atomic import is
// refused; Limit; Unavailable.
func (in *Imports) Start(ctx context.Context, who access.Principal, options farm.ImportOptions, open func() (ImportFile, error)) (ImportReport, error) {
	if err := in.allowed(ctx, who, options); err != nil {
		return ImportReport{}, err
	}
	file, err := open()
	if err != nil {
		return ImportReport{}, err
	}
	return batches.Take(ctx, in.inbox(), file.Body, func(name string, stored ports.Object) (ImportReport, error) {
		return in.take(ctx, who, farm.NewImport(options, record.Ref{ID: who.UserID, Name: who.Name}, name, file.Media, 0, in.Clock.Now()), stored)
	})
}

func (in *Imports) allowed(ctx context.Context, who access.Principal, options farm.ImportOptions) error {
	needs := []access.Permission{access.Fields.Create}
	if options.ExternalIDProperty != "" {
		needs = append(needs, access.Fields.Edit)
	}
	if err := in.Gate.Require(ctx, who, needs...); err != nil {
		return err
	}
	return in.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		_, err := tx.Farms.Get(ctx, who.Scope(false), options.FarmID)
		return err
	})
}

// take counts the features of a stored file, and imports them at once or queues them.
func (in *Imports) take(ctx context.Context, who access.Principal, b farm.Import, stored ports.Object) (out ImportReport, err error) {
	if b.Total, err = in.Outlines.Count(ctx, b.Media, stored); err != nil {
		return out, err
	}
	if b.Total == 0 {
		return out, fault.Field("file", "The file holds no features.")
	}
	if b.Total <= MaxImportedAtOnce {
		out, err = batches.AtOnce(ctx, in.Deps, b, "features", in.pieces(who, b, stored, MaxImportedAtOnce))
		if b.Options.Preview {
			out.Judged = withoutTrace(out.Judged)
		}
		return out, err
	}
	if err := in.inbox().Sweep(ctx); err != nil {
		return out, err
	}
	return app.In(ctx, in.Store.Write, func(ctx context.Context, tx ports.Repos) (out ImportReport, err error) {
		out.Batch = b
		if err := tx.Imports.Insert(ctx, who.Scope(false), &out.Batch); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(ImportJob, who.CompanyID, out.ID, b.CreatedAt))
	})
}

// Retrieve returns a background import and its refused features.
// Faults: Unauthenticated, Forbidden, NotFound.
func (in *Imports) Retrieve(ctx context.Context, who access.Principal, id int64) (ImportReport, error) {
	return app.Read(ctx, in.Deps, who, access.Fields.View, func(ctx context.Context, tx ports.Repos) (out ImportReport, err error) {
		if out.Batch, err = tx.Imports.Get(ctx, who.Scope(false), id); err != nil {
			return out, err
		}
		out.Judged, err = tx.Imports.Failures(ctx, who.Scope(false), id, MaxKeptFailures)
		return out, err
	})
}
