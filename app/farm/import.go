package farm

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"tilth/app"
	"tilth/core/access"
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

// folder is where uploaded files wait, and keptFor how long one may lie there that
// nothing has taken: what a kill left behind.
const (
	folder  = "imports"
	keptFor = 7 * 24 * time.Hour
)

// ImportDeps is what the use cases need.
type ImportDeps struct {
	app.Deps
	Objects  ports.Objects
	Outlines ports.Outlines
	Writer   ports.OutlineWriter
	Fields   *Records[farm.Field]
}

// Imports is the use cases of import and export.
type Imports struct{ deps ImportDeps }

// NewImports makes the use cases.
func NewImports(deps ImportDeps) *Imports { return &Imports{deps} }

// ImportFile is an uploaded file.
type ImportFile struct {
	Media string // content type; empty where the sender does not say
	Body  io.Reader
}

// ImportReport is an import with the features it tells of: all of them for an import within a
// request, the refused ones for one in the background.
type ImportReport struct {
	farm.Import
	Features []farm.Judged
}

// Background reports whether the import goes on after the answer.
func (r ImportReport) Background() bool { return r.ID != 0 }

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
	name := folder + "/" + in.deps.IDs.UUID()
	if _, err := in.deps.Objects.Put(ctx, name, file.Body); err != nil {
		return ImportReport{}, err
	}
	report, err := in.take(ctx, who, options, name, file.Media)
	if err != nil || !report.Background() {
		// The caller may have left; the file goes all the same.
		err = errors.Join(err, in.deps.Objects.Remove(context.WithoutCancel(ctx), name))
	}
	return report, err
}

func (in *Imports) allowed(ctx context.Context, who access.Principal, options farm.ImportOptions) error {
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
func (in *Imports) take(ctx context.Context, who access.Principal, options farm.ImportOptions, name, media string) (ImportReport, error) {
	stored, err := in.deps.Objects.Open(ctx, name)
	if err != nil {
		return ImportReport{}, err
	}
	defer stored.Close()
	total, err := in.deps.Outlines.Count(ctx, media, stored)
	if err != nil {
		return ImportReport{}, err
	}
	if total == 0 {
		return ImportReport{}, fault.Field("file", "The file holds no features.")
	}
	record := farm.NewImport(options, record.Ref{ID: who.UserID, Name: who.Name}, name, media, total, in.deps.Clock.Now())
	if total <= MaxImportedAtOnce {
		return in.atOnce(ctx, who, record, stored)
	}
	return in.queue(ctx, who, record)
}

// queue hands an import to the background.
func (in *Imports) queue(ctx context.Context, who access.Principal, record farm.Import) (ImportReport, error) {
	now := in.deps.Clock.Now()
	if err := in.deps.Objects.RemoveOlder(ctx, folder, now.Add(-keptFor)); err != nil {
		return ImportReport{}, err
	}
	var out ImportReport
	err := in.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		inserted := record
		if err := tx.Imports.Insert(ctx, who.Scope(false), &inserted); err != nil {
			return err
		}
		out = ImportReport{Import: inserted}
		return tx.Jobs.Enqueue(ctx, ports.Job{
			Kind: ImportJob, Key: strconv.FormatInt(inserted.ID, 10), CompanyID: who.CompanyID, Subject: inserted.ID, RunAt: now,
		})
	})
	return out, err
}

// atOnce imports a small file in one transaction.
func (in *Imports) atOnce(ctx context.Context, who access.Principal, record farm.Import, stored ports.Object) (ImportReport, error) {
	candidates := make([]importCandidate, 0, record.Total)
	known := newKnownIDs()
	for f, err := range in.deps.Outlines.Read(ctx, record.Media, stored) {
		if err != nil {
			return ImportReport{}, err
		}
		candidates = append(candidates, prepareCandidate(int64(len(candidates)), f, record.ImportOptions, known))
	}
	judged, err := in.judge(ctx, who, record.ImportOptions, candidates, true, record.Preview)
	if err != nil {
		return ImportReport{}, err
	}
	now := in.deps.Clock.Now()
	record.Advance(judged, now)
	record.Checking = false // one transaction was both passes
	record.EndPass(now)
	return ImportReport{record, judged}, nil
}

// Retrieve returns a background import and its refused features.
// Faults: Unauthenticated, Forbidden, NotFound.
func (in *Imports) Retrieve(ctx context.Context, who access.Principal, id int64) (ImportReport, error) {
	var out ImportReport
	if err := in.deps.Gate.Require(ctx, who, access.Fields.View); err != nil {
		return out, err
	}
	err := in.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if out.Import, err = tx.Imports.Get(ctx, who.Scope(false), id); err != nil {
			return err
		}
		out.Features, err = tx.Imports.Failures(ctx, who.Scope(false), id, MaxKeptFailures)
		return err
	})
	return out, err
}
