// Package memory implements the ports of use cases with maps, so that a test of a rule needs
// neither a database nor a server and fails in milliseconds. It does what the ports promise
// for a company's own records, one caller at a time. It has no filters, no shared scope, no
// locks and no constraints: those belong to the database, and tests/storetest checks them. A
// method that no test needs yet is missing, and panics when it is called.
package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// World is a store with what use cases need besides. Tests can inspect what use cases wrote.
type World struct {
	ports.Store // Ping: none
	Clock       Clock
	IDs         IDs
	Events      []event.Event
	Jobs        []ports.Job
	Failed      []ports.FailedJob
	Trail       []audit.Entry
	Boundaries  []farm.BoundaryVersion
	References  []ports.EngineReferences

	people   *people
	claims   int64 // of jobs
	repos    ports.Repos
	operator ports.OperatorRepos
	saves    []func() (restore func())
}

// New makes an empty world at noon of 1 March 2026.
func New() *World {
	w := &World{Clock: Clock{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	w.saves = append(w.saves, func() func() {
		events, jobs, trail, boundaries := slices.Clone(w.Events), slices.Clone(w.Jobs), slices.Clone(w.Trail), slices.Clone(w.Boundaries)
		failed := slices.Clone(w.Failed)
		return func() { w.Events, w.Jobs, w.Trail, w.Boundaries, w.Failed = events, jobs, trail, boundaries, failed }
	})
	w.repos.Outbox, w.repos.Jobs, w.repos.Audit = outbox{w}, jobs{w: w}, trail{w: w}
	w.repos.Nested = func(ctx context.Context, do func(ctx context.Context) error) error {
		return w.change(func() error { return do(ctx) })
	}
	w.operator.Outbox, w.operator.Jobs, w.operator.Audit = outbox{w}, jobs{w: w}, trail{w: w}
	w.addFarm()
	w.addAccount()
	w.addSatellite()
	w.addSoil()
	w.addGHG()
	w.addEvents()
	w.addReplays()
	return w
}

// Deps returns what most use cases need, behind a gate that enforces the permissions of roles.
func (w *World) Deps() app.Deps {
	return app.Deps{Store: w, Gate: app.NewGate(policy{w}, w, &w.Clock), Clock: &w.Clock, IDs: &w.IDs}
}

// Put changes the world as a test needs it, bypassing every use case.
func (w *World) Put(do func(tx ports.Repos) error) {
	if err := do(w.repos); err != nil {
		panic(err)
	}
}

// Write runs a change; an error rolls all of it back.
func (w *World) Write(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	return w.change(func() error { return do(ctx, w.repos) })
}

// Read runs a read.
func (w *World) Read(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	return do(ctx, w.repos)
}

// Operate is Write with the operator's repositories.
func (w *World) Operate(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return w.change(func() error { return do(ctx, w.operator) })
}

// Consult is Read with the operator's repositories.
func (w *World) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, w.operator)
}

func (w *World) change(do func() error) error {
	restores := make([]func(), len(w.saves))
	for i, save := range w.saves {
		restores[i] = save()
	}
	err := do()
	if err != nil {
		for _, restore := range restores {
			restore()
		}
	}
	return err
}

// Clock stands still until a test moves it.
type Clock struct{ At time.Time }

// Now returns the time.
func (c *Clock) Now() time.Time { return c.At }

// Move moves the clock forward.
func (c *Clock) Move(by time.Duration) { c.At = c.At.Add(by) }

// IDs counts.
type IDs struct{ n int }

func (i *IDs) next() int { i.n++; return i.n }

// UUID returns the next UUID.
func (i *IDs) UUID() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i.next()) }

// Secret returns the next secret.
func (i *IDs) Secret() string { return fmt.Sprintf("secret-%08d", i.next()) }

// Jitter returns 0.
func (*IDs) Jitter() float64 { return 0 }

type outbox struct{ w *World }

func (o outbox) Add(_ context.Context, events ...event.Event) error {
	o.w.Events = append(o.w.Events, events...)
	return nil
}

type noJobs struct{ ports.JobKeeper }

type jobs struct {
	noJobs
	w *World
}

func (j jobs) Enqueue(_ context.Context, job ports.Job) error {
	same := func(one ports.Job) bool { return one.Kind == job.Kind && one.Key == job.Key }
	if !slices.ContainsFunc(j.w.Jobs, same) {
		j.w.claims++
		job.ID = j.w.claims
		j.w.Jobs = append(j.w.Jobs, job)
	}
	return nil
}

func (j jobs) TryEnqueue(ctx context.Context, jobs ...ports.Job) error {
	for _, job := range jobs {
		if err := j.Enqueue(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// Claim leases the jobs that are due, whoever held them before.
func (w *World) Claim() (out []ports.Job) {
	for i := range w.Jobs {
		if j := &w.Jobs[i]; !j.RunAt.After(w.Clock.At) {
			w.claims++
			j.Attempt, j.Lease = j.Attempt+1, fmt.Sprint(w.claims)
			out = append(out, *j)
		}
	}
	return out
}

// held returns the index of a job if its lease still holds it.
func (j jobs) held(job ports.Job) (int, error) {
	i := slices.IndexFunc(j.w.Jobs, func(one ports.Job) bool { return one.ID == job.ID && one.Lease == job.Lease })
	if i < 0 {
		return 0, fault.New(fault.Conflict, "lease_lost", "Another worker has this job.")
	}
	return i, nil
}

func (j jobs) Hold(_ context.Context, job ports.Job) error {
	_, err := j.held(job)
	return err
}

func (j jobs) Postpone(_ context.Context, job ports.Job, at time.Time) error {
	i, err := j.held(job)
	if err == nil {
		j.w.Jobs[i].RunAt, j.w.Jobs[i].Lease = at, ""
	}
	return err
}

func (j jobs) Repeat(ctx context.Context, job ports.Job, at time.Time) error {
	err := j.Postpone(ctx, job, at)
	if i := slices.IndexFunc(j.w.Jobs, func(one ports.Job) bool { return one.ID == job.ID }); err == nil {
		j.w.Jobs[i].Attempt = 0
	}
	return err
}

func (j jobs) Finish(_ context.Context, job ports.Job) error {
	i, err := j.held(job)
	if err == nil {
		j.w.Jobs = slices.Delete(j.w.Jobs, i, i+1)
	}
	return err
}

func (j jobs) Fail(ctx context.Context, job ports.Job, failed ports.FailedJob) error {
	j.w.Failed = append(j.w.Failed, failed)
	return j.Finish(ctx, job)
}

type noTrail struct{ ports.AuditTrail }

type trail struct {
	noTrail
	w *World
}

func (t trail) Add(_ context.Context, entries ...audit.Entry) error {
	t.w.Trail = append(t.w.Trail, entries...)
	return nil
}

// AddCascade stores the entry of the record itself; the database knows the others.
func (t trail) AddCascade(ctx context.Context, by ...audit.Entry) error { return t.Add(ctx, by...) }

// entry is a record with its time of deletion.
type entry[T any] struct {
	record  T
	deleted *time.Time
}

// table holds the records of one kind of all companies.
type table[T any] struct {
	name string
	of   func(*T) (id, company *int64)
	rows map[int64]entry[T]
	last int64
}

func newTable[T any](w *World, name string, of func(*T) (id, company *int64)) *table[T] {
	t := &table[T]{name: name, of: of, rows: map[int64]entry[T]{}}
	w.saves = append(w.saves, func() func() {
		rows, last := maps.Clone(t.rows), t.last
		return func() { t.rows, t.last = rows, last }
	})
	return t
}

// all yields the live records of a scope that satisfy a condition, by id; nil accepts all.
func (t *table[T]) all(scope access.Scope, holds func(T) bool) iter.Seq2[int64, T] {
	return func(yield func(int64, T) bool) {
		for _, id := range slices.Sorted(maps.Keys(t.rows)) {
			row := t.rows[id]
			_, company := t.of(&row.record)
			if row.deleted != nil || scope.Shared() && !scope.ToOrder() || *company != scope.Company() || holds != nil && !holds(row.record) {
				continue
			}
			if !yield(id, row.record) {
				return
			}
		}
	}
}

func (t *table[T]) ids(scope access.Scope, holds func(T) bool) []int64 {
	var out []int64
	for id := range t.all(scope, holds) {
		out = append(out, id)
	}
	return out
}

func (t *table[T]) Count(_ context.Context, scope access.Scope, q ports.Query) (int64, error) {
	noFilters(q)
	return int64(len(t.ids(scope, nil))), nil
}

func (t *table[T]) Each(_ context.Context, scope access.Scope, q ports.Query) iter.Seq2[T, error] {
	noFilters(q)
	return func(yield func(T, error) bool) {
		place := int64(0)
		for _, record := range t.all(scope, nil) {
			place++
			if place <= q.Offset || q.Limit > 0 && place > q.Offset+q.Limit {
				continue
			}
			if !yield(record, nil) {
				return
			}
		}
	}
}

func noFilters(q ports.Query) {
	if len(q.Filters)+len(q.Order) > 0 || !q.Deleted.IsZero() {
		panic("memory: filters, orders and what was deleted are the database's")
	}
}

func (t *table[T]) Get(_ context.Context, scope access.Scope, id int64) (T, error) {
	for at, record := range t.all(scope, nil) {
		if at == id {
			return record, nil
		}
	}
	var none T
	return none, fault.Missing(t.name)
}

func (t *table[T]) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (T, error) {
	return t.Get(ctx, scope, id)
}

func (t *table[T]) GetMany(_ context.Context, scope access.Scope, ids []int64) (map[int64]T, error) {
	out := map[int64]T{}
	for id, record := range t.all(scope, nil) {
		if slices.Contains(ids, id) {
			out[id] = record
		}
	}
	return out, nil
}

func (t *table[T]) GetManyForUpdate(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error) {
	return t.GetMany(ctx, scope, ids)
}

func (t *table[T]) Known(ctx context.Context, scope access.Scope, ids []int64) (map[int64]bool, error) {
	found, err := t.GetMany(ctx, scope, ids)
	out := map[int64]bool{}
	for id := range found {
		out[id] = true
	}
	return out, err
}

func (t *table[T]) HoldKeys(context.Context, access.Scope) error { return nil }

func (t *table[T]) ByExternalID(_ context.Context, scope access.Scope, keys []string) (map[string][]int64, error) {
	out := map[string][]int64{}
	for id, record := range t.all(scope, nil) {
		if key := any(&record).(corerecord.Foreign).Origin().ExternalID; slices.Contains(keys, key) {
			out[key] = append(out[key], id)
		}
	}
	return out, nil
}

func (t *table[T]) Insert(_ context.Context, scope access.Scope, records []*T) error {
	for _, record := range records {
		t.last++
		id, company := t.of(record)
		*id, *company = t.last, scope.Company()
		t.rows[*id] = entry[T]{record: *record}
	}
	return nil
}

func (t *table[T]) Update(ctx context.Context, scope access.Scope, record *T) error {
	id, _ := t.of(record)
	if _, err := t.Get(ctx, scope, *id); err != nil {
		return err
	}
	t.rows[*id] = entry[T]{record: *record}
	return nil
}

func (t *table[T]) SoftDelete(_ context.Context, scope access.Scope, ids []int64, at time.Time) (n int64, err error) {
	for id, record := range t.all(scope, nil) {
		if slices.Contains(ids, id) {
			t.rows[id] = entry[T]{record, &at}
			n++
		}
	}
	return n, nil
}

func (t *table[T]) GetDeleted(_ context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error) {
	row, ok := t.rows[id]
	if _, company := t.of(&row.record); !ok || row.deleted == nil || row.deleted.Before(since) || *company != scope.Company() {
		var none T
		return none, time.Time{}, fault.Missing(t.name)
	}
	return row.record, *row.deleted, nil
}

func (t *table[T]) Undelete(_ context.Context, scope access.Scope, id int64, deletedAt, _ time.Time) error {
	t.undelete(scope, deletedAt, func(record T) bool { at, _ := t.of(&record); return *at == id })
	return nil
}

// undelete restores the records that were deleted at a time, and returns their ids.
func (t *table[T]) undelete(scope access.Scope, deletedAt time.Time, holds func(T) bool) []int64 {
	var out []int64
	for id, row := range t.rows {
		_, company := t.of(&row.record)
		if row.deleted != nil && row.deleted.Equal(deletedAt) && *company == scope.Company() && holds(row.record) {
			t.rows[id] = entry[T]{record: row.record}
			out = append(out, id)
		}
	}
	return out
}
