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

// Draft is a record as a client sent it, without its invalid members.
type Draft[T any] struct {
	Record T
	Errors fault.Fields
	Unread bool // the record could not be read at all: nothing else can be reported about it
}

// Records holds the use cases of one resource.
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

// Rules distinguish one resource from another. Absent functions mean no rule.
type Rules[T any] struct {
	Access access.Resource
	Repo   func(ports.Repos) ports.Records[T]
	Meta   func(*T) *corerecord.Meta
	// Check returns what is wrong with a record by itself, after normalise.
	Check     func(*T) fault.Fields
	Normalise func(*T)
	// Same finds the existing records that items stand for; absent: those with the same external id.
	Same *Same[T]
	// Init fills in what only a new record gets.
	Init func(*T, ports.IDs)
	// Relate checks many records against others, with a bounded number of queries; it returns errors in the order of the records.
	Relate func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T) ([]fault.Fields, error)
	// Told states that Relate also fills in what a record shows of others, so that a new one need not be read back.
	Told bool
	// Change refuses changes that the state of other records forbids.
	Change func(ctx context.Context, tx ports.Repos, scope access.Scope, before, after *T) error
	// Empty refuses a record that others depend on, when a caller asks to delete it only if it is empty; absent: nobody can ask so.
	Empty func(ctx context.Context, tx ports.Repos, scope access.Scope, record *T) error
	// Remove guards the deletion of records and deletes what depends on them.
	Remove func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T, at time.Time) error
	// Return refuses to restore a deleted record if others have since taken something that was its own.
	Return func(ctx context.Context, tx ports.Repos, scope access.Scope, record *T) error
	// Revive refuses to restore a record whose parents are gone, and restores what was deleted
	// along with it. The record itself is live again when it is called.
	Revive func(ctx context.Context, tx ports.Repos, scope access.Scope, record *T, deletedAt, now time.Time) error
	// Stored runs after records were written, with the previous state of each: nil for a new one.
	Stored func(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) error
	// Foresee does what can be done for records before the transaction that stores them, because that blocks other
	// writers. It is called with the previous state of each, nil for a new one, and returns what ends the transaction.
	Foresee func(ctx context.Context, who access.Principal, before, after []*T) (Finish[T], error)
	// Reread returns records just written as they are stored, by id; absent: each is read in full.
	Reread func(ctx context.Context, tx ports.Repos, scope access.Scope, written []*T) (map[int64]T, error)
	// Enrich fills in the read-only figures of answers.
	Enrich func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T) error
}

// Finish runs once at the end of a write, for everything that it stored, with the previous state of each: nil for a new
// one. The nil Finish does nothing.
type Finish[T any] func(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) error

func (f Finish[T]) run(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) error {
	if f == nil {
		return nil
	}
	return f(ctx, tx, who, before, after)
}

// Access returns the permissions that the use cases require.
func (r *Records[T]) Access() access.Resource { return r.rules.Access }

// Holds reports whether callers can ask that records of the resource be deleted only if they are empty.
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

// Create stores new records, all or none, and returns them as they are stored. The errors of all items are
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
	if refusal() != nil { // the other errors are found without blocking writers
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

// drafted returns the records of the drafts in the form to be stored, as new ones or as the next version of those
// before, with what is wrong with each by itself. A draft that could not be read yields no record, and is not checked
// further.
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

// begin turns a record into a new one of the caller.
func (r *Records[T]) begin(record *T, who access.Principal, now time.Time) {
	*r.rules.Meta(record) = corerecord.Meta{
		CompanyID: who.CompanyID, CreatedAt: now, UpdatedAt: now, CreatedBy: &corerecord.Ref{ID: who.UserID, Name: who.Name},
	}
	if r.rules.Init != nil {
		r.rules.Init(record, r.deps.IDs)
	}
}

// Update changes a record: decode is given the current record and returns what the client wants it to be, with what is
// wrong with that. It is called only for a record in the caller's scope, and again if the record changes meanwhile.
// Faults: NotFound, Invalid, and those of decode.
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

// judge returns a wanted record as the next version of before, or refuses it with everything that is wrong with it.
func (r *Records[T]) judge(ctx context.Context, tx ports.Repos, who access.Principal, before *T, wanted Draft[T]) (*T, error) {
	after, errs := r.drafted(who, []*T{before}, []Draft[T]{wanted})
	if err := r.relate(ctx, tx, who.Scope(false), after, errs); err != nil {
		return nil, err
	}
	return after[0], errs[0].Err()
}

// insert stores new records with everything that belongs to them: the audit trail, and what the
// rules keep. Every way to make a record ends here.
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

// replace stores a changed record with everything that belongs to it. Every way to change a record
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

// entry returns the entry of the audit trail for a record; before is nil if the record is new, after if it is gone.
func (r *Records[T]) entry(by audit.Entry, action audit.Action, before, after *T) audit.Entry {
	return by.Of(action, r.rules.Access.Name, r.rules.Meta(cmp.Or(after, before)).ID, audit.Diff(before, after))
}

func (r *Records[T]) check(record *T) fault.Fields {
	if r.rules.Normalise != nil {
		r.rules.Normalise(record)
	}
	return r.rules.Check(record)
}

// relate adds to errs what is wrong with the records in the light of others. Nil records are left
// out.
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

// reread returns the stored form of records just written, in their order: with nested names and
// derived figures, in one query.
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

// reread1 is reread for one record.
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
		f.Addf("company_id", "Records can only be kept for your own company (%d); leave company_id out.", who.CompanyID)
	}
	return f
}
