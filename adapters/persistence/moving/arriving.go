package moving

import (
	"context"
	"fmt"
	"slices"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/moving"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) { r.CompanyExports = exportRecords(s) }

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Carrier, r.Arrivals, r.CompanyExports = carrier{s}, arrivals{s}, exportRecords(s)
}

func walletOf(balance, held int64) *moving.Wallet {
	return &moving.Wallet{Balance: credit.Amount(balance), Held: credit.Amount(held)}
}

// Here implements ports.Carrier.
func (c carrier) Here(ctx context.Context, uuid, name string, emails []string) (out ports.AlreadyHere, err error) {
	if err := scalar(ctx, c.s.Native(), "SELECT COALESCE((SELECT max(id) FROM companies WHERE uuid = "+quoted(uuid)+"), 0)", &out.Company); err != nil {
		return out, err
	}
	if err := scalar(ctx, c.s.Native(), "SELECT COALESCE((SELECT max(id) FROM companies WHERE name = "+quoted(name)+"), 0)", &out.Name); err != nil {
		return out, err
	}
	for some := range slices.Chunk(emails, sqlstore.ListChunk) {
		var taken []string
		if err := c.s.NewSelect().TableExpr("users AS t").ColumnExpr("t.email").Where("t.email IN (?)", prepared.List(some)).OrderExpr("t.email").Scan(ctx, &taken); err != nil {
			return out, err
		}
		out.Emails = append(out.Emails, taken...)
	}
	return out, nil
}

// Reserve implements ports.Carrier. The new ids follow the last one that was ever used, all at the same distance from the old ones.
func (c carrier) Reserve(ctx context.Context, spans map[string]moving.Span) (map[string]int64, error) {
	if err := c.s.Unhurried(ctx); err != nil {
		return nil, err
	}
	shifts := map[string]int64{}
	for _, name := range sortedSpans(spans) {
		if !movable(name) {
			return nil, fault.Newf(fault.Invalid, "company_file", "The manifest has ids of %q, which is not a table here. Fix: upgrade this installation to the release that wrote the file, or to a later one.", name)
		}
		next, err := c.next(ctx, name, spans[name].Last-spans[name].First+1)
		if err != nil {
			return nil, fmt.Errorf("reserve ids of %s: %w", name, err)
		}
		shifts[name] = next - spans[name].First
	}
	return shifts, nil
}

// movable reports whether records of a table move, or are at least named by the audit trail.
func movable(name string) bool {
	for _, of := range trailed {
		if of == name {
			return true
		}
	}
	_, known := named(name)
	return known
}

func sortedSpans(spans map[string]moving.Span) (out []string) {
	for name := range spans {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// next takes n ids of a table and returns the first.
func (c carrier) next(ctx context.Context, name string, n int64) (first int64, err error) {
	tx := c.s.Native()
	if c.s.Postgres {
		return c.nextOfSequence(ctx, name, n)
	}
	if err := scalar(ctx, tx, fmt.Sprintf("SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = %s), 0) + 1", quoted(name)), &first); err != nil {
		return 0, err
	}
	done, err := tx.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = $1 WHERE name = $2", first+n-1, name)
	if err != nil {
		return 0, err
	}
	if changed, err := done.RowsAffected(); err != nil || changed > 0 {
		return first, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", name, first+n-1)
	return first, err
}

// nextOfSequence locks the table, so that nobody else takes an id, and releases it by a rollback, which does not affect sequences.
func (c carrier) nextOfSequence(ctx context.Context, name string, n int64) (first int64, err error) {
	tx := c.s.Native()
	for _, statement := range []string{"SAVEPOINT ids", fmt.Sprintf("LOCK TABLE %q IN SHARE ROW EXCLUSIVE MODE", name)} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	var sequence string
	if err := scalar(ctx, tx, fmt.Sprintf(`SELECT pg_get_serial_sequence('%q', 'id')`, name), &sequence); err != nil {
		return 0, err
	}
	if err := scalar(ctx, tx, "SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM "+sequence, &first); err != nil {
		return 0, err
	}
	var last int64
	if err := scalar(ctx, tx, fmt.Sprintf("SELECT setval('%s', %d)", sequence, first+n-1), &last); err != nil {
		return 0, err
	}
	for _, statement := range []string{"ROLLBACK TO SAVEPOINT ids", "RELEASE SAVEPOINT ids"} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	return first, nil
}

// quoted returns a text as an SQL literal. The text is the name of a table, a uuid or the name of a company: none holds U+0000.
func quoted(text string) string {
	out := "'"
	for _, r := range text {
		if r == '\'' {
			out += "'"
		}
		out += string(r)
	}
	return out + "'"
}

// Crops implements ports.Carrier.
func (c carrier) Crops(ctx context.Context) (map[string]int64, error) {
	var rows []struct {
		ID   int64
		Slug string
	}
	if err := c.s.NewSelect().TableExpr("crops AS t").ColumnExpr("t.id, t.slug").Scan(ctx, &rows); err != nil {
		return nil, err
	}
	out := make(map[string]int64, len(rows))
	for _, row := range rows {
		out[row.Slug] = row.ID
	}
	return out, nil
}

// Open implements ports.Carrier.
func (c carrier) Open(ctx context.Context, entry audit.Entry) error {
	row := map[string]any{
		"id": entry.ID, "company_id": entry.CompanyID, "at": sqlstore.StampAt(entry.At), "operator": entry.Operator, "action": string(entry.Action),
		"resource": entry.Resource, "record_id": entry.RecordID, "changes": sqlstore.ListOf(entry.Changes),
	}
	if entry.User != nil {
		row["user_id"] = entry.User.ID
	}
	c.s.Leaves(sqlstore.RowsWait)
	return sqlstore.Run(ctx, c.s.NewInsert().Model(&row).TableExpr("audit_entries"))
}
