// Package partition makes and drops the partitions of tables that PostgreSQL divides by time. Each table has a first partition for
// everything before it was divided, one for each day or month since, and one, called rest, for rows of a time that has no
// partition. In SQLite these tables are whole, and this package does nothing.
package partition

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
)

// Table is a table in partitions, as the migration "partitions" made it.
type Table struct {
	Name   string
	Column string // the time by which a row lies in its partition
	daily  bool   // a partition is a day; else a month
	keep   string // the function of the triggers that keep rows from being changed; empty: none
}

// Tables in partitions. Events are kept for a day or two, entries for years: a partition is about what is removed at a time.
var (
	Events  = Table{Name: "outbox", Column: "at", daily: true}
	Entries = Table{Name: "audit_entries", Column: "at", keep: "keep_audit_entries"}

	tables = []Table{Events, Entries}
)

const (
	// ahead is the number of partitions that are made ahead of the present one.
	ahead = 2
	// patience is how long a change of partitions waits for those who use the table: others queue behind it.
	patience = "2s"
	// lock is the key of the advisory lock under which partitions are made and dropped ("parts" in ASCII).
	lock = 0x7061727473
)

// Part is a partition: rows from From on and before To. The first has no From, and rest has neither.
type Part struct {
	Name  string
	Begin *sqlstore.Stamp
	Until *sqlstore.Stamp
}

// Span returns the beginning and the end of the day or month of a time, in UTC.
func (t Table) Span(at time.Time) (from, to time.Time) {
	year, month, day := at.UTC().Date()
	if t.daily {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC), time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC), time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
}

// Whole returns the beginning of the span in which before less late lies: rows up to there can be removed a partition at a time,
// after rows that were late for the partition have arrived.
func (t Table) Whole(before time.Time, late time.Duration) time.Time {
	from, _ := t.Span(before.Add(-late))
	return from
}

func (t Table) nameOf(from time.Time) string {
	if t.daily {
		return t.Name + from.Format("_20060102")
	}
	return t.Name + from.Format("_200601")
}

func (t Table) rest() string { return t.Name + "_rest" }

// Parts returns the partitions in the order of their times, rest last.
func (t Table) Parts(ctx context.Context, s *sqlstore.Session) (out []Part, err error) {
	bound := func(word string) string {
		return "CAST(substring(pg_get_expr(c.relpartbound, c.oid) FROM '" + word + ` \(''([^'']+)''\)') AS TIMESTAMPTZ)`
	}
	err = s.NewSelect().TableExpr("pg_inherits AS i").Join("JOIN pg_class AS c ON c.oid = i.inhrelid").
		ColumnExpr("c.relname AS name").ColumnExpr(bound("FROM")+" AS begin").ColumnExpr(bound("TO")+" AS until").
		Where("i.inhparent = to_regclass(?)", t.Name).OrderExpr("until NULLS LAST").Scan(ctx, &out)
	return out, err
}

// hold keeps others from changing partitions until the transaction ends, and bounds how long it waits for locks.
func hold(ctx context.Context, s *sqlstore.Session) error {
	if err := sqlstore.Run(ctx, s.NewRaw("SELECT set_config('lock_timeout', ?, TRUE)", patience)); err != nil {
		return err
	}
	return sqlstore.Run(ctx, s.NewRaw("SELECT pg_advisory_xact_lock(?)", prepared.Arg(lock)))
}

// Prepare makes the partitions that rows will need soon, and those of rows that lie in the rest, which it moves there. It returns
// how many partitions it made.
func Prepare(ctx context.Context, d *sqlstore.DB, now time.Time) (made int64, err error) {
	for _, t := range tables {
		var n int64
		err := d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) (err error) {
			if s.Postgres {
				n, err = t.prepare(ctx, s, now)
			}
			return err
		})
		if err != nil {
			return made, err
		}
		made += n
	}
	return made, nil
}

func (t Table) prepare(ctx context.Context, s *sqlstore.Session, now time.Time) (int64, error) {
	if err := hold(ctx, s); err != nil {
		return 0, err
	}
	parts, err := t.Parts(ctx, s)
	if err != nil {
		return 0, err
	}
	var wanted []time.Time // spans by their beginning
	next, end := t.Span(now)
	for range 1 + ahead {
		wanted = append(wanted, next)
		next, end = t.Span(end)
	}
	strays, err := t.strays(ctx, s, next)
	if err != nil {
		return 0, err
	}
	missing := uncovered(append(strays, wanted...), parts)
	if len(missing) == 0 {
		return 0, nil
	}
	if err := t.seize(ctx, s, t.rest(), true); err != nil {
		return 0, err
	}
	return int64(len(missing)), t.loosened(ctx, s, func() error {
		for _, from := range missing {
			if err := t.makePart(ctx, s, from); err != nil {
				return err
			}
		}
		return nil
	})
}

// seize locks the table, or its rest, against everybody else until the transaction ends, and the tables that it refers to against
// writers if a partition will be attached, which locks them too. Requests lock these tables in any order. So this waits for one
// lock only, while it holds none that they need; if another is not free, the transaction is run again.
func (t Table) seize(ctx context.Context, s *sqlstore.Session, table string, attach bool) error {
	if err := sqlstore.Run(ctx, s.NewRaw("LOCK TABLE ? IN ACCESS EXCLUSIVE MODE", bun.Ident(table))); err != nil || !attach {
		return err
	}
	var referred []string
	err := s.NewSelect().TableExpr("pg_constraint").ColumnExpr("DISTINCT CAST(CAST(confrelid AS REGCLASS) AS TEXT) AS name").
		Where("contype = 'f'").Where("conrelid = to_regclass(?)", t.Name).OrderExpr("name").Scan(ctx, &referred)
	if err != nil {
		return err
	}
	if err := s.LockAtOnce(ctx, "SHARE ROW EXCLUSIVE", referred...); err != nil {
		return err
	}
	return s.LockAtOnce(ctx, "SHARE UPDATE EXCLUSIVE", "ONLY "+t.Name)
}

// loosened runs do while rows of the rest can be removed from it, as they move to their partitions.
func (t Table) loosened(ctx context.Context, s *sqlstore.Session, do func() error) error {
	if t.keep == "" {
		return do()
	}
	turn := func(how string) error {
		return sqlstore.Run(ctx, s.NewRaw("ALTER TABLE ? ? TRIGGER ?", bun.Ident(t.rest()), bun.Safe(how), bun.Ident("tr_"+t.Name+"_append_only")))
	}
	if err := turn("DISABLE"); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return turn("ENABLE")
}

// strays returns the spans before a time to which rows of the rest belong.
func (t Table) strays(ctx context.Context, s *sqlstore.Session, before time.Time) (out []time.Time, err error) {
	var days []struct{ Day sqlstore.Stamp }
	err = s.NewSelect().TableExpr("? AS t", bun.Ident(t.rest())).
		ColumnExpr("DISTINCT date_trunc('day', t.? AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS day", bun.Ident(t.Column)).
		Where("t.? < ?", bun.Ident(t.Column), sqlstore.StampAt(before)).OrderExpr("day").Scan(ctx, &days)
	for _, day := range days {
		from, _ := t.Span(day.Day.Time)
		out = append(out, from)
	}
	return out, err
}

// uncovered returns the spans that no partition has, each once.
func uncovered(spans []time.Time, parts []Part) (out []time.Time) {
	seen := map[time.Time]bool{}
	for _, from := range spans {
		covered := seen[from]
		for _, p := range parts {
			covered = covered || p.Until != nil && from.Before(p.Until.Time) && (p.Begin == nil || !from.Before(p.Begin.Time))
		}
		if !covered {
			seen[from] = true
			out = append(out, from)
		}
	}
	return out
}

// makePart makes the partition of a span, and moves its rows there from the rest. It is filled before it belongs to the table, so
// that rows are not chained again.
func (t Table) makePart(ctx context.Context, s *sqlstore.Session, from time.Time) error {
	name := t.nameOf(from)
	begin, end := t.Span(from)
	if err := t.like(ctx, s, name); err != nil {
		return err
	}
	column, first, last := bun.Ident(t.Column), sqlstore.StampAt(begin), sqlstore.StampAt(end)
	for _, q := range []sqlstore.Statement{
		s.NewRaw("INSERT INTO ? SELECT * FROM ? AS t WHERE t.? >= ? AND t.? < ?", bun.Ident(name), bun.Ident(t.rest()), column, first, column, last),
		s.NewRaw("DELETE FROM ? AS t WHERE t.? >= ? AND t.? < ?", bun.Ident(t.rest()), column, first, column, last),
	} {
		if err := sqlstore.Run(ctx, q); err != nil {
			return err
		}
	}
	return t.attach(ctx, s, name, "'"+begin.Format(time.RFC3339)+"'", end)
}

// like makes a table of the shape of the partitioned one.
func (t Table) like(ctx context.Context, s *sqlstore.Session, name string) error {
	err := sqlstore.Run(ctx, s.NewRaw("CREATE TABLE ? (LIKE ? INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)", bun.Ident(name), bun.Ident(t.Name)))
	if err != nil || t.keep == "" {
		return err
	}
	return sqlstore.Run(ctx, s.NewRaw("CREATE TRIGGER ? BEFORE TRUNCATE ON ? FOR EACH STATEMENT EXECUTE FUNCTION ?()",
		bun.Ident("tr_"+t.Name+"_no_truncate"), bun.Ident(name), bun.Ident(t.keep)))
}

// attach makes a table a partition. A bound is written into the statement, which takes no arguments.
func (t Table) attach(ctx context.Context, s *sqlstore.Session, name, from string, to time.Time) error {
	return sqlstore.Run(ctx, s.NewRaw("ALTER TABLE ? ATTACH PARTITION ? FOR VALUES FROM (?) TO (?)",
		bun.Ident(t.Name), bun.Ident(name), bun.Safe(from), bun.Safe("'"+to.Format(time.RFC3339)+"'")))
}

// Drop drops the partitions whose rows are all before a time and may all be removed. For each it first asks may, without
// keeping anybody out, and then still, with the table locked against everybody else until the transaction ends. The first
// partition is replaced by an empty one.
func (t Table) Drop(ctx context.Context, s *sqlstore.Session, before time.Time, may, still func(ctx context.Context, p Part) (bool, error)) error {
	if err := hold(ctx, s); err != nil {
		return err
	}
	parts, err := t.Parts(ctx, s)
	if err != nil {
		return err
	}
	locked := false
	for _, p := range parts {
		if p.Until == nil || p.Until.After(before) {
			continue
		}
		if ok, err := may(ctx, p); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		if !locked {
			if err := t.seize(ctx, s, t.Name, p.Begin == nil); err != nil { // the first partition comes first
				return err
			}
			locked = true
		}
		ok, err := still(ctx, p)
		if err == nil && ok {
			err = t.drop(ctx, s, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t Table) drop(ctx context.Context, s *sqlstore.Session, p Part) error {
	if err := sqlstore.Run(ctx, s.NewRaw("DROP TABLE ?", bun.Ident(p.Name))); err != nil || p.Begin != nil {
		return err
	}
	if err := t.like(ctx, s, p.Name); err != nil {
		return err
	}
	return t.attach(ctx, s, p.Name, "MINVALUE", p.Until.Time)
}

// State describes the partitions of a table.
type State struct {
	Table  string
	Parts  int
	Behind bool  // the partition of the next span is missing
	Rest   int64 // rows in the rest
}

// Examine returns the states of all tables; none where they are whole.
func Examine(ctx context.Context, d *sqlstore.DB, now time.Time) (out []State, err error) {
	err = d.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		out = nil
		if !s.Postgres {
			return nil
		}
		for _, t := range tables {
			parts, err := t.Parts(ctx, s)
			if err != nil {
				return err
			}
			one := State{Table: t.Name, Parts: len(parts)}
			_, next := t.Span(now)
			one.Behind = len(uncovered([]time.Time{next}, parts)) > 0
			if err := s.NewSelect().TableExpr("?", bun.Ident(t.rest())).ColumnExpr("count(*)").Scan(ctx, &one.Rest); err != nil {
				return err
			}
			out = append(out, one)
		}
		return nil
	})
	return out, err
}
