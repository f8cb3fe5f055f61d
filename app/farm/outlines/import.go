package outlines

import (
	"cmp"
	"context"
	"io"
	"iter"
	"log/slog"
	"mime"

	"tilth/app"
	"tilth/app/batches"
	farmapp "tilth/app/farm"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// MaxImportedAtOnce is the maximum number of features imported within the request; a larger file is
// worked through in the background.
const MaxImportedAtOnce = 1_000

// MaxSeenAtOnce is the maximum number of features judged within the request by a preview whose outlines are looked at: it stores
// nothing, and takes MaxImportedAtOnce in one transaction.
const MaxSeenAtOnce = 10_000

// MaxKeptFailures is the number of refused features that the report of a background import names; it counts all of them.
const MaxKeptFailures = 1_000

// folder is where uploaded files wait.
const folder = "imports"

// Imports holds the use cases of import and export.
type Imports struct {
	app.Deps
	Objects  ports.Objects
	Outlines ports.Outlines
	Writer   ports.OutlineWriter
	Farms    *farmapp.Records[farm.Farm]
	Fields   *farmapp.Records[farm.Field]
	Crops    *farmapp.Records[farm.Cultivation]
	Spread   *farmapp.Records[farm.Fertilization]
	Log      *slog.Logger
	Sizes    batches.Sizes `wire:"-"`
	// AcrossSteps is the number of pairs of edges that a preview compares between its pieces; 0: acrossSteps.
	AcrossSteps int64 `wire:"-"`
}

func (in *Imports) inbox() batches.Inbox {
	return batches.Inbox{Deps: in.Deps, Objects: in.Objects, Folder: folder}
}

// ImportFile is an uploaded file.
type ImportFile struct {
	Media string // content type; empty where the sender does not say
	Sheet string // of a workbook; empty: the first
	Body  io.Reader
	Seen  bool // the outlines are looked at, as on a map
	// Mapping replaces that of the options if it came with the file; nil: it did not.
	Mapping farm.Mapping
	// Ignore receives the errors about properties that no feature has, and the import goes on without them; nil: they are refused.
	Ignore func(unknown fault.Fields)
}

// kind returns the content type with the sheet as its parameter, the form in which a batch keeps it and readers take it.
func (f ImportFile) kind() string {
	media, params, err := mime.ParseMediaType(cmp.Or(f.Media, "application/octet-stream"))
	if f.Sheet == "" || err != nil { // the reader refuses what is not a content type
		return f.Media
	}
	params["sheet"] = f.Sheet
	return mime.FormatMediaType(media, params)
}

// ImportReport is an import with the outcome for its features.
type ImportReport struct {
	batch.Report[farm.ImportOptions, farm.Judged]
	Survey ports.Survey // of the file that was just sent
	Made   []record.Ref // farms that the import makes; the ID is 0 if a preview would make them
}

// Start imports a file, or hands a large one to the background. open is called once it is clear that the caller may
// import and the farm exists. If the file's features can stand for existing fields, they may change these fields, and
// the caller needs the permission for that; likewise for making farms, if the file names farms that do not exist.
// Faults: NotFound (the farm); Invalid with "file" where the file cannot be read, and with code bulk_validation_failed
// where an atomic import is refused; Limit; Unavailable.
func (in *Imports) Start(ctx context.Context, who access.Principal, options farm.ImportOptions, open func() (ImportFile, error)) (ImportReport, error) {
	needs := []access.Permission{access.Fields.Create}
	if options.Mapping.Keyed() {
		needs = append(needs, access.Fields.Edit)
	}
	if err := in.Gate.Require(ctx, who, needs...); err != nil {
		return ImportReport{}, err
	}
	if _, err := app.In(ctx, in.Store.Read, func(ctx context.Context, tx ports.Repos) (farm.Farm, error) {
		return tx.Farms.Get(ctx, who.Scope(false), options.FarmID)
	}); err != nil {
		return ImportReport{}, err
	}
	file, err := open()
	if err != nil {
		return ImportReport{}, err
	}
	if file.Media = file.kind(); file.Mapping != nil {
		options.Mapping = file.Mapping
	}
	return batches.Take(ctx, in.inbox(), file.Body, func(name string, stored ports.Object) (ImportReport, error) {
		return in.take(ctx, who, options, file, name, stored)
	})
}

// take looks at a stored file, and imports its features at once or queues them.
func (in *Imports) take(
	ctx context.Context, who access.Principal, options farm.ImportOptions, file ImportFile, name string, stored ports.Object,
) (out ImportReport, err error) {
	if out.Survey, err = in.Outlines.Survey(ctx, file.Media, stored); err != nil {
		return out, err
	}
	if out.Survey.Features == 0 {
		return out, fault.Field("file", "The file holds no features.")
	}
	if options.Mapping, err = in.mapped(ctx, options.Mapping, file, stored, out.Survey); err != nil {
		return out, err
	}
	if options.Mapping.Settles() {
		if options.MakesFarms, err = in.maySettle(ctx, who, options.Mapping, file, stored); err != nil {
			return out, err
		}
	}
	if options.Mapping.Sows() {
		if err := in.maySow(ctx, who, options.Mapping); err != nil {
			return out, err
		}
	}
	if options.Mapping.Spreads() {
		if err := in.maySpread(ctx, who, options.Mapping, out.Survey); err != nil {
			return out, err
		}
	}
	if options.Mapping.Keyed() {
		if err := in.Gate.Require(ctx, who, access.Fields.Edit); err != nil {
			return out, err
		}
	}
	options.Operator, options.KeyID = who.Operator, who.KeyID
	b := farm.NewImport(options, record.Ref{ID: who.UserID, Name: who.Name}, name, file.Media, out.Survey.Features, in.Clock.Now())
	atOnce := cmp.Or(in.Sizes.AtOnce, MaxImportedAtOnce)
	if options.Preview && file.Seen {
		atOnce = cmp.Or(in.Sizes.AtOnce, MaxSeenAtOnce)
	}
	if b.Total <= atOnce {
		return in.atOnce(ctx, who, out, b, stored)
	}
	if err := in.inbox().Sweep(ctx); err != nil {
		return out, err
	}
	err = in.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		out.Batch = b
		if err := tx.Imports.Insert(ctx, who.Scope(false), &out.Batch); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, task.JobOn(ImportJob, who.CompanyID, out.ID, b.CreatedAt))
	})
	return out, err
}

// atOnce judges the features of a file within the request, and stores them unless it is a preview.
func (in *Imports) atOnce(ctx context.Context, who access.Principal, out ImportReport, b farm.Import, stored ports.Object) (_ ImportReport, err error) {
	piece := MaxImportedAtOnce
	if b.Options.Preview {
		piece = cmp.Or(in.Sizes.Piece, piece)
	}
	out.Report, err = batches.AtOnce(ctx, in.Deps, b, "features", in.pieces(who, b, stored, piece))
	if err != nil || !b.Options.Preview {
		out.Made = madeFarms(out.Judged)
		return out, err
	}
	out.Judged = withoutTrace(out.Judged)
	out.Made = madeFarms(out.Judged)
	return out, across(ctx, out.Judged, piece, cmp.Or(in.AcrossSteps, acrossSteps))
}

// Retrieve returns a background import and its refused features. Faults: NotFound.
func (in *Imports) Retrieve(ctx context.Context, who access.Principal, id int64) (ImportReport, error) {
	return app.Read(ctx, in.Deps, who, access.Fields.View, func(ctx context.Context, tx ports.Repos) (out ImportReport, err error) {
		if out.Batch, err = tx.Imports.Get(ctx, who.Scope(false), id); err != nil {
			return out, err
		}
		if out.Made, err = tx.Imports.Made(ctx, who.Scope(false), id); err != nil {
			return out, err
		}
		out.Judged, err = tx.Imports.Failures(ctx, who.Scope(false), id, MaxKeptFailures)
		return out, err
	})
}

// ImportJob is the kind of the background jobs of imports.
const ImportJob = "field_import"

// importChunk is the number of features stored in one transaction. It locks the farm and, in
// SQLite, blocks all other writers for a fraction of a second.
const importChunk = 500

// Run works through a queued import. It returns an error only when the job must be handed out again as it is.
func (in *Imports) Run(ctx context.Context, job ports.Job) error {
	return batches.Run(ctx, batches.Worker{Deps: in.Deps, Objects: in.Objects, Log: in.Log}, importKind{in}, job)
}

// importKind implements batches.Kind.
type importKind struct{ *Imports }

func (importKind) Lock(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (farm.Import, error) {
	return tx.Imports.GetForUpdate(ctx, scope, id)
}

func (importKind) Update(ctx context.Context, tx ports.Repos, scope access.Scope, b farm.Import) error {
	return tx.Imports.Update(ctx, scope, b)
}

func (importKind) Keep(ctx context.Context, tx ports.Repos, scope access.Scope, b farm.Import, judged []farm.Judged) error {
	var failed []farm.Judged
	room := MaxKeptFailures - b.Failures()
	for _, j := range judged {
		if j.Verdict == batch.Fail && int64(len(failed)) < room {
			failed = append(failed, j)
		}
	}
	made := madeFarms(judged)
	if b.Checking { // the piece was rolled back
		for i := range made {
			made[i].ID = 0
		}
	}
	if len(made) > 0 && (b.Options.Preview || !b.Checking) {
		if err := tx.Imports.AddMade(ctx, scope, b.ID, made); err != nil {
			return err
		}
	}
	return tx.Imports.AddFailures(ctx, scope, b.ID, failed)
}

// Resume loses nothing: the pieces read the external ids of the features before them again.
func (importKind) Resume(context.Context, task.Run[ports.Repos], *farm.Import) error { return nil }

func (k importKind) Pieces(b farm.Import, file ports.Object) batches.Pieces[farm.Judged] {
	who := access.Principal{UserID: b.CreatedBy.ID, Name: b.CreatedBy.Name, CompanyID: b.CompanyID, Operator: b.Options.Operator, KeyID: b.Options.KeyID}
	return k.pieces(who, b, file, cmp.Or(k.Sizes.Piece, importChunk))
}

// featurePieces reads the features of a file.
type featurePieces struct {
	*Imports
	who   access.Principal
	batch farm.Import // as it stood when the pass began or resumed
	file  ports.Object
	limit int
	next  func() (ports.Feature, error, bool)
	stop  func()
	at    int64 // features read
	known knownIDs
	piece []importCandidate
	end   farmapp.Finish[farm.Field] // of the transaction that settles the piece
	crops cropNames                  // nil until needed
	into  farm.Farm                  // the farm of the request, as locked
}

func (in *Imports) pieces(who access.Principal, b farm.Import, file ports.Object, limit int) *featurePieces {
	return &featurePieces{Imports: in, who: who, batch: b, file: file, limit: limit, known: knownIDs{}}
}

func (p *featurePieces) Next(ctx context.Context) (bool, error) {
	if p.next == nil {
		p.next, p.stop = iter.Pull2(p.Outlines.Read(ctx, p.batch.Media, p.file))
	}
	clear(p.piece) // the outlines are released before the next ones are read
	p.piece = p.piece[:0]
	for len(p.piece) < p.limit {
		f, err, more := p.next()
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		c := prepareCandidate(p.at, f, p.batch.Options.Mapping, p.known)
		if p.batch.Options.Mapping.Spreads() && !c.skip {
			c.applied = applications(f.Applied, p.batch.Options.Mapping, p.Clock.Now(), c.errors)
		}
		if p.at++; p.at > p.batch.Done {
			p.piece = append(p.piece, c)
		}
	}
	if err := p.identify(ctx); err != nil {
		return false, err
	}
	return len(p.piece) > 0, p.foresee(ctx)
}

// foresee compares the outlines of the piece before the transaction that stores them. The pass of a background import that
// stores nothing reports no overlaps.
func (p *featurePieces) foresee(ctx context.Context) error {
	if p.end = nil; len(p.piece) == 0 || p.background() && p.batch.Checking {
		return nil
	}
	wanted, err := app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) (judgedPiece, error) {
		homes, err := p.homes(ctx, tx)
		if err != nil {
			return judgedPiece{}, err
		}
		return judgeCandidates(ctx, tx, p.who.Scope(false), homes, p.piece)
	})
	if err == nil {
		p.end, err = p.Fields.Foresee(ctx, p.who, wanted.changes)
	}
	return err
}

func (p *featurePieces) background() bool { return p.batch.ID != 0 }

func (p *featurePieces) After() int64 { return 0 }
func (p *featurePieces) Alone() bool  { return false }

func (p *featurePieces) Close() {
	if p.stop != nil {
		p.stop()
	}
}
