package farm

import (
	"context"
	"iter"

	"tilth/app/batches"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/ports"
)

// ImportJob is the kind of the background jobs of imports.
const ImportJob = "field_import"

// importChunk is how many features are stored in one transaction. It holds the farm, and in
// SQLite all other writers, for a fraction of a second.
const importChunk = 500

// Run works through a queued import. It returns an error only when the job must be handed out
// again as it is.
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
	return tx.Imports.AddFailures(ctx, scope, b.ID, failed)
}

// Resume loses nothing: the pieces read the external ids of the features before them again.
func (importKind) Resume(context.Context, task.Run[ports.Repos], *farm.Import) error { return nil }

func (k importKind) Pieces(b farm.Import, file ports.Object) batches.Pieces[farm.Judged] {
	return k.pieces(access.Principal{UserID: b.CreatedBy.ID, Name: b.CreatedBy.Name, CompanyID: b.CompanyID}, b, file, importChunk)
}

// featurePieces reads the features of a file.
type featurePieces struct {
	*Imports
	who   access.Principal
	batch farm.Import // as it stood when the pass began, or went on
	file  ports.Object
	limit int
	next  func() (ports.Feature, error, bool)
	stop  func()
	at    int64 // features read
	known knownIDs
	piece []importCandidate
}

func (in *Imports) pieces(who access.Principal, b farm.Import, file ports.Object, limit int) *featurePieces {
	return &featurePieces{Imports: in, who: who, batch: b, file: file, limit: limit, known: knownIDs{}}
}

func (p *featurePieces) Next(ctx context.Context) (bool, error) {
	if p.next == nil {
		p.next, p.stop = iter.Pull2(p.Outlines.Read(ctx, p.batch.Media, p.file))
	}
	clear(p.piece) // the outlines are not held until the next ones are read
	p.piece = p.piece[:0]
	for len(p.piece) < p.limit {
		f, err, more := p.next()
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		c := prepareCandidate(p.at, f, p.batch.Options, p.known)
		if p.at++; p.at > p.batch.Done {
			p.piece = append(p.piece, c)
		}
	}
	return len(p.piece) > 0, nil
}

func (p *featurePieces) Settle(ctx context.Context, tx ports.Repos) ([]farm.Judged, error) {
	return p.settle(ctx, tx, p.who, p.batch.Options, p.piece, p.batch.ID == 0)
}

func (p *featurePieces) After() int64 { return 0 }
func (p *featurePieces) Alone() bool  { return false }

func (p *featurePieces) Close() {
	if p.stop != nil {
		p.stop()
	}
}
