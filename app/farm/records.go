package farm

import (
	"cmp"
	"context"
	"time"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/list"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// Draft is a record as a client sent it, without the members that something is wrong with.
type Draft[T any] struct {
	Record T
	Errors fault.Fields
	Unread bool // the record could not be read at all: nothing else can be said of it
}

// Records is the use cases of one resource.
type Records[T any] struct {
	deps  app.Deps
	rules Rules[T]
}

// NewRecords makes the use cases of a resource with its rules.
func NewRecords[T any](deps app.Deps, rules Rules[T]) *Records[T] {
	if rules.Enrich == nil {
		rules.Enrich = func(context.Context, ports.Repos, access.Scope, []*T) error { return nil }
	}
	if rules.Same == nil && external.Carried[T]() {
		rules.Same = externally(rules.Repo)
	}
	if rules.Reread == nil {
		rules.Reread = func(ctx context.Context, tx ports.Repos, scope access.Scope, written []*T) (map[int64]T, error) {
			return rules.Repo(tx).GetMany(ctx, scope, list.Map(written, func(r *T) int64 { return rules.Meta(r).ID }))
		}
	}
	return &Records[T]{deps, rules}
}

// Rules is what tells one resource from another. Absent functions mean no rule.
type Rules[T any] struct {
	Access access.Resource
	Repo   func(ports.Repos) ports.Records[T]
	Meta   func(*T) *corerecord.Meta
	// Check returns what is wrong with a record by itself, after normalise.
	Check     func(*T) fault.Fields
	Normalise func(*T)
	// Same finds the records that others stand for; absent: those with the same external id.
	Same *Same[T]
	// Init fills what only a new record gets.
	Init func(*T, ports.IDs)
	// Relate checks many records against others, with a bounded number of queries; it answers in the order given.
	Relate func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T) ([]fault.Fields, error)
	// Told says that Relate also fills in what a record shows of others, so that a new one is known as it is stored.
	Told bool
	// Change refuses changes that the state of other records forbids.
	Change func(ctx context.Context, tx ports.Repos, scope access.Scope, before, after *T) error
	// Empty refuses a record that others hang on, for who would delete it alone; absent: nobody can ask so.
	Empty func(ctx context.Context, tx ports.Repos, scope access.Scope, record *T) error
	// Remove guards the deletion of records and deletes what hangs below.
	Remove func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T, at time.Time) error
	// Return refuses to bring a deleted record back where others have taken what was its own since.
	Return func(ctx context.Context, tx ports.Repos, scope access.Scope, record *T) error
	// Revive refuses to restore a record whose parents are gone, and brings back what was
	// deleted along with it. The record itself is live again when it is called.
	Revive func(ctx context.Context, tx ports.Repos, scope access.Scope, record *T, deletedAt, now time.Time) error
	// Stored runs after records were written, with what each was before: nil for a new one.
	Stored func(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) error
	// Foresee does what can be done for records before the transaction that stores them, which makes others wait. It is
	// called with what each is before, nil for a new one, and returns what ends the transaction.
	Foresee func(ctx context.Context, who access.Principal, before, after []*T) (Finish[T], error)
	// Reread returns records just written as they are stored, by id; absent: all of each is read.
	Reread func(ctx context.Context, tx ports.Repos, scope access.Scope, written []*T) (map[int64]T, error)
	// Enrich fills read-only figures of answers.
	Enrich func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T) error
}

// Finish is what runs once at the end of a write, for all that it stored, with what each was before: nil for a new one.
// The nil Finish does nothing.
type Finish[T any] func(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) error

func (f Finish[T]) run(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) error {
	if f == nil {
		return nil
	}
	return f(ctx, tx, who, before, after)
}

// Access returns what the use cases require.
func (r *Records[T]) Access() access.Resource { return r.rules.Access }

// Holds reports whether records of the resource can be deleted only where they are empty.
func (r *Records[T]) Holds() bool { return r.rules.Empty != nil }

// List returns the caller's records, or those shared with it.
func (r *Records[T]) List(ctx context.Context, who access.Principal, shared bool, q ports.Query) (app.List[T], error) {
	return app.ListEnriched(ctx, r.deps, app.Ask{Who: who, Need: r.rules.Access.View, Shared: shared}, q, r.rules.Repo, r.rules.Enrich)
}

// Retrieve returns one record. Faults: NotFound.
func (r *Records[T]) Retrieve(ctx context.Context, who access.Principal, shared bool, id int64) (T, error) {
	return app.Read(ports.Loosely(ctx), r.deps, who, r.rules.Access.View, func(ctx context.Context, tx ports.Repos) (out T, err error) {
		if out, err = r.rules.Repo(tx).Get(ctx, who.Scope(shared), id); err != nil {
			return out, err
		}
		return out, r.rules.Enrich(ctx, tx, who.Scope(shared), []*T{&out})
	})
}

// Create stores new records, all or none, and gives them back as they are stored. The errors of all items are
// reported at once; in a bulk they are keyed by the item's index and the code is bulk_validation_failed.
// Faults: Invalid.
func (r *Records[T]) Create(ctx context.Context, who access.Principal, drafts []Draft[T], bulk bool) ([]T, error) {
	if err := r.deps.Gate.Require(ctx, who, r.rules.Access.Create); err != nil {
		return nil, err
	}
	none := make([]*T, len(drafts))
	records, errs := r.drafted(who, none, drafts)
	refusal := func() error {
		if bulk {
			return batch.Refuse(errs, "items")
		}
		return errs[0].Err()
	}
	if refusal() != nil { // what else is wrong is found without making others wait
		return nil, r.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
			if err := r.relate(ctx, tx, who.Scope(false), records, errs); err != nil {
				return err
			}
			return refusal()
		})
	}
	end, err := r.foresee(ctx, who, none, records)
	if err != nil {
		return nil, err
	}
	return app.In(ctx, r.deps.Store.Write, func(ctx context.Context, tx ports.Repos) ([]T, error) {
		err := r.relate(ctx, tx, who.Scope(false), records, errs)
		if err == nil {
			err = refusal()
		}
		if err == nil {
			err = r.claim(ctx, tx, who.Scope(false), none, records)
		}
		if err == nil {
			err = r.insert(ctx, tx, who, records)
		}
		if err == nil {
			err = end.run(ctx, tx, who, none, records)
		}
		if err != nil {
			return nil, err
		}
		return r.made(ctx, tx, who.Scope(false), records)
	})
}

// drafted returns the records of the drafts as they are to be stored, as new ones or as the next version of those
// before, with what is wrong with each by itself. Of a draft that could not be read there is no record, and it is not
// checked further.
func (r *Records[T]) drafted(who access.Principal, before []*T, drafts []Draft[T]) ([]*T, []fault.Fields) {
	now := r.deps.Clock.Now()
	records, errs := make([]*T, len(drafts)), make([]fault.Fields, len(drafts))
	for i, d := range drafts {
		errs[i] = fault.Fields{}
		if errs[i].Merge(d.Errors); d.Unread {
			continue
		}
		record := d.Record
		records[i] = &record
		meta := r.rules.Meta(&record)
		if errs[i].MergeNew(companyErrors(meta, who)); before[i] == nil {
			r.begin(&record, who, now)
		} else {
			*meta = *r.rules.Meta(before[i])
			meta.UpdatedAt = corerecord.NextVersion(meta.UpdatedAt, now)
		}
		errs[i].MergeNew(r.check(&record))
	}
	return records, errs
}

// begin makes a record a new one of the caller.
func (r *Records[T]) begin(record *T, who access.Principal, now time.Time) {
	*r.rules.Meta(record) = corerecord.Meta{
		CompanyID: who.CompanyID, CreatedAt: now, UpdatedAt: now, CreatedBy: &corerecord.Ref{ID: who.UserID, Name: who.Name},
	}
	if r.rules.Init != nil {
		r.rules.Init(record, r.deps.IDs)
	}
}

// Update changes a record: decode is given the record as it stands and answers what the client wants it to
// be, with what is wrong with that. It is called only for a record in the caller's scope, again where the record changes
// meanwhile. Faults: NotFound, Invalid, and those of decode.
func (r *Records[T]) Update(ctx context.Context, who access.Principal, id int64, decode func(current T) (Draft[T], error)) (T, error) {
	scope := who.Scope(false)
	if err := r.deps.Gate.Require(ctx, who, r.rules.Access.Edit); err != nil {
		var none T
		return none, err
	}
	ahead, err := r.anticipate(ctx, who, id, decode)
	if err != nil {
		return ahead.wanted.Record, err
	}
	return app.In(ctx, r.deps.Store.Write, func(ctx context.Context, tx ports.Repos) (out T, err error) {
		before, err := r.rules.Repo(tx).GetForUpdate(ctx, scope, id)
		if err != nil {
			return out, err
		}
		wanted := ahead.wanted
		if !ahead.known || !r.rules.Meta(&before).UpdatedAt.Equal(ahead.version) {
			if wanted, err = decode(before); err != nil {
				return out, err
			}
		}
		after, err := r.judge(ctx, tx, who, &before, wanted)
		if err != nil {
			return out, err
		}
		if r.rules.Change != nil {
			if err := r.rules.Change(ctx, tx, scope, &before, after); err != nil {
				return out, err
			}
		}
		if err := r.claim(ctx, tx, scope, []*T{&before}, []*T{after}); err != nil {
			return out, err
		}
		if err := r.replace(ctx, tx, who, &before, after); err != nil {
			return out, err
		}
		if err := ahead.end.run(ctx, tx, who, []*T{&before}, []*T{after}); err != nil {
			return out, err
		}
		return r.reread1(ctx, tx, scope, after)
	})
}

// judge returns a wanted record as the next version of that before, and refuses it with all that is wrong with it.
func (r *Records[T]) judge(ctx context.Context, tx ports.Repos, who access.Principal, before *T, wanted Draft[T]) (*T, error) {
	after, errs := r.drafted(who, []*T{before}, []Draft[T]{wanted})
	if err := r.relate(ctx, tx, who.Scope(false), after, errs); err != nil {
		return nil, err
	}
	return after[0], errs[0].Err()
}

// insert stores new records with what belongs to it: the audit trail, and what the rules
// keep of it. Every way to make a record ends here.
func (r *Records[T]) insert(ctx context.Context, tx ports.Repos, who access.Principal, records []*T) error {
	if err := r.rules.Repo(tx).Insert(ctx, who.Scope(false), records); err != nil {
		return err
	}
	by, entries := audit.By(who, r.deps.Clock.Now()), make([]audit.Entry, len(records))
	for i, record := range records {
		entries[i] = r.entry(by, audit.Create, nil, record)
	}
	if err := tx.Audit.Add(ctx, entries...); err != nil || r.rules.Stored == nil {
		return err
	}
	return r.rules.Stored(ctx, tx, who, make([]*T, len(records)), records)
}

// replace stores a changed record with what belongs to it. Every way to change a record
// ends here. A change of nothing leaves no entry in the audit trail.
func (r *Records[T]) replace(ctx context.Context, tx ports.Repos, who access.Principal, before, after *T) error {
	if err := r.rules.Repo(tx).Update(ctx, who.Scope(false), after); err != nil {
		return err
	}
	if entry := r.entry(audit.By(who, r.deps.Clock.Now()), audit.Update, before, after); len(entry.Changes) > 0 {
		if err := tx.Audit.Add(ctx, entry); err != nil {
			return err
		}
	}
	if r.rules.Stored == nil {
		return nil
	}
	return r.rules.Stored(ctx, tx, who, []*T{before}, []*T{after})
}

// entry returns the entry of the audit trail for a record; before is nil where it is new, after where it is gone.
func (r *Records[T]) entry(by audit.Entry, action audit.Action, before, after *T) audit.Entry {
	return by.Of(action, r.rules.Access.Name, r.rules.Meta(cmp.Or(after, before)).ID, audit.Diff(before, after))
}

func (r *Records[T]) check(record *T) fault.Fields {
	if r.rules.Normalise != nil {
		r.rules.Normalise(record)
	}
	return r.rules.Check(record)
}

// relate adds to errs what is wrong with the records in the light of others. Those
// that are nil are left out.
func (r *Records[T]) relate(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T, errs []fault.Fields) error {
	if r.rules.Relate == nil {
		return nil
	}
	var readable []*T
	var at []int
	for i, record := range records {
		if record != nil {
			readable, at = append(readable, record), append(at, i)
		}
	}
	if len(readable) == 0 {
		return nil
	}
	found, err := r.rules.Relate(ctx, tx, scope, readable)
	for i := range found {
		errs[at[i]].MergeNew(found[i])
	}
	return err
}

// made returns the stored form of records that are new, in their order.
func (r *Records[T]) made(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T) ([]T, error) {
	if !r.rules.Told {
		return r.reread(ctx, tx, scope, records)
	}
	out, enriched := make([]T, len(records)), make([]*T, len(records))
	for i, record := range records {
		out[i], enriched[i] = *record, &out[i]
	}
	return out, r.rules.Enrich(ctx, tx, scope, enriched)
}

// reread returns the stored form of records just written, in their order: with nested
// names and derived figures, in one query.
func (r *Records[T]) reread(ctx context.Context, tx ports.Repos, scope access.Scope, written []*T) ([]T, error) {
	byID, err := r.rules.Reread(ctx, tx, scope, written)
	if err != nil {
		return nil, err
	}
	out, enriched := make([]T, len(written)), make([]*T, len(written))
	for i, record := range written {
		out[i] = byID[r.rules.Meta(record).ID]
		enriched[i] = &out[i]
	}
	return out, r.rules.Enrich(ctx, tx, scope, enriched)
}

// reread1 is reread of one record.
func (r *Records[T]) reread1(ctx context.Context, tx ports.Repos, scope access.Scope, written *T) (out T, err error) {
	stored, err := r.reread(ctx, tx, scope, []*T{written})
	if err == nil {
		out = stored[0]
	}
	return out, err
}

// companyErrors refuses a company_id other than the acting company.
func companyErrors(sent *corerecord.Meta, who access.Principal) fault.Fields {
	f := fault.Fields{}
	if sent.CompanyID != 0 && sent.CompanyID != who.CompanyID {
		f.Addf("company_id", "Records are kept for your own company (%d); leave company_id out.", who.CompanyID)
	}
	return f
}
