// Package intake holds the use cases that bring field outlines in from files, and take
// them out. What a valid field is, the use cases of fields say: an import asks them, and
// stores nothing past them.
package intake

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"tilth/app/farming"
	"tilth/app/gate"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// AtOnce is how many features are imported within the request; a larger file is worked
// through in the background.
const AtOnce = 1_000

// KeptFailures is how many refused features the report of a background import names; it
// counts all of them.
const KeptFailures = 1_000

// folder is where uploaded files wait, and keptFor how long one may lie there that
// nothing has taken: what a kill left behind.
const (
	folder  = "imports"
	keptFor = 7 * 24 * time.Hour
)

// Deps is what the use cases need.
type Deps struct {
	gate.Deps
	Objects  ports.Objects
	Outlines ports.Outlines
	Writer   ports.OutlineWriter
	Fields   *farming.Records[farm.Field]
}

// Intake is the use cases of import and export.
type Intake struct{ deps Deps }

// New makes the use cases.
func New(deps Deps) *Intake { return &Intake{deps} }

// File is an uploaded file.
type File struct {
	Media string // content type; empty where the sender does not say
	Body  io.Reader
}

// Report is an import with the features it tells of: all of them for an import within a
// request, the refused ones for one in the background.
type Report struct {
	farm.Import
	Features []farm.Judged
}

// Background reports whether the import goes on after the answer.
func (r Report) Background() bool { return r.ID != 0 }

// Start imports a file, or hands a large one to the background. The file is asked for
// when the caller may import and the farm is there. A caller who names the property of
// the external ids may change fields, and needs the permission for that.
//
// Faults: Unauthenticated, Forbidden, NotFound (the farm); Invalid with "file" where the
// file cannot be read, and with code bulk_validation_failed where an atomic import is
// refused; Limit; Unavailable.
func (in *Intake) Start(ctx context.Context, who access.Principal, options farm.ImportOptions, open func() (File, error)) (Report, error) {
	if err := in.allowed(ctx, who, options); err != nil {
		return Report{}, err
	}
	file, err := open()
	if err != nil {
		return Report{}, err
	}
	name := folder + "/" + in.deps.IDs.UUID()
	if _, err := in.deps.Objects.Put(ctx, name, file.Body); err != nil {
		return Report{}, err
	}
	report, err := in.take(ctx, who, options, name, file.Media)
	if err != nil || !report.Background() {
		// The caller may have left; the file goes all the same.
		err = errors.Join(err, in.deps.Objects.Remove(context.WithoutCancel(ctx), name))
	}
	return report, err
}

func (in *Intake) allowed(ctx context.Context, who access.Principal, options farm.ImportOptions) error {
	needs := []access.Permission{access.Fields.Create}
	if options.ExternalIDProperty != "" {
		needs = append(needs, access.Fields.Edit)
	}
	if err := in.deps.Gate.Require(ctx, who, needs...); err != nil {
		return err
	}
	return in.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		_, err := tx.Farms.Get(ctx, who.Scope(false), options.FarmID)
		return err
	})
}

// take counts the features of a stored file, and imports them at once or queues them.
func (in *Intake) take(ctx context.Context, who access.Principal, options farm.ImportOptions, name, media string) (Report, error) {
	stored, err := in.deps.Objects.Open(ctx, name)
	if err != nil {
		return Report{}, err
	}
	defer stored.Close()
	total, err := in.deps.Outlines.Count(ctx, media, stored)
	if err != nil {
		return Report{}, err
	}
	if total == 0 {
		return Report{}, fault.Field("file", "The file holds no features.")
	}
	record := farm.NewImport(options, record.Ref{ID: who.UserID, Name: who.Name}, name, media, total, in.deps.Clock.Now())
	if total <= AtOnce {
		return in.atOnce(ctx, who, record, stored)
	}
	return in.queue(ctx, who, record)
}

// queue hands an import to the background.
func (in *Intake) queue(ctx context.Context, who access.Principal, record farm.Import) (Report, error) {
	now := in.deps.Clock.Now()
	if err := in.deps.Objects.RemoveOlder(ctx, folder, now.Add(-keptFor)); err != nil {
		return Report{}, err
	}
	var out Report
	err := in.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		inserted := record
		if err := tx.Imports.Insert(ctx, who.Scope(false), &inserted); err != nil {
			return err
		}
		out = Report{Import: inserted}
		return tx.Jobs.Enqueue(ctx, ports.Job{
			Kind: JobKind, Key: strconv.FormatInt(inserted.ID, 10), CompanyID: who.CompanyID, Subject: inserted.ID, RunAt: now,
		})
	})
	return out, err
}

// atOnce imports a small file in one transaction.
func (in *Intake) atOnce(ctx context.Context, who access.Principal, record farm.Import, stored ports.Object) (Report, error) {
	candidates := make([]candidate, 0, record.Total)
	known := newKnownIDs()
	for f, err := range in.deps.Outlines.Read(ctx, record.Media, stored) {
		if err != nil {
			return Report{}, err
		}
		candidates = append(candidates, prepare(int64(len(candidates)), f, record.ImportOptions, known))
	}
	judged, err := in.judge(ctx, who, record.ImportOptions, candidates, true, record.Preview)
	if err != nil {
		return Report{}, err
	}
	now := in.deps.Clock.Now()
	record.Advance(judged, now)
	record.Checking = false // one transaction was both passes
	record.EndPass(now)
	return Report{record, judged}, nil
}

// Retrieve gives a background import and its refused features.
// Faults: Unauthenticated, Forbidden, NotFound.
func (in *Intake) Retrieve(ctx context.Context, who access.Principal, id int64) (Report, error) {
	var out Report
	if err := in.deps.Gate.Require(ctx, who, access.Fields.View); err != nil {
		return out, err
	}
	err := in.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if out.Import, err = tx.Imports.Get(ctx, who.Scope(false), id); err != nil {
			return err
		}
		out.Features, err = tx.Imports.Failures(ctx, who.Scope(false), id, KeptFailures)
		return err
	})
	return out, err
}
