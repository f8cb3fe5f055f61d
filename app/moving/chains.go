package moving

import (
	"context"
	"errors"
	"time"

	"tilth/core/chain"
	"tilth/core/moving"
)

// chain verifies one of the company's chains as it was exported, with its signatures. entries is the table of the lines of its rows.
func (in *importing) chain(ctx context.Context, name chain.Name, table, entries string) error {
	head, waiting := in.manifest.Head(name)
	marks, err := in.checkpoints(name)
	if err != nil {
		return err
	}
	rows, err := in.rowsOf(table, entries)
	if err != nil {
		return err
	}
	defer rows.close()
	links, err := in.some("chain_links")
	if err != nil {
		return err
	}
	defer func() { _ = links.close() }()
	v := chain.NewVerifier(chain.ID{Name: name, CompanyID: in.manifest.Company.ID}, head, marks, in.keys)
	for v.Broken() == nil {
		line, err := links.parsed()
		if err != nil {
			return err
		}
		if line == nil {
			break
		}
		of, link := line.Link()
		if of != name {
			continue
		}
		linked := chain.Linked{Link: link}
		if linked.Row, err = rows.take(link.RowID); err != nil {
			return err
		}
		v.Next(linked)
		if links.line%10000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	v.End(0)
	if broken := v.Broken(); broken != nil {
		return refuse("the chain of %s is broken, %s. Fix: see `tilth verify %s` where it was exported, and docs/evidence.md", table, broken, name)
	}
	loose, err := rows.rest()
	if err == nil && loose != waiting {
		err = refuse("%s has %d rows that are not chained, but the manifest says %d", moving.TableFile(table), loose, waiting)
	}
	return err
}

func (in *importing) checkpoints(name chain.Name) (out []chain.Checkpoint, err error) {
	rows, err := in.some("chain_checkpoints")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.close() }()
	for {
		line, err := rows.parsed()
		if line == nil || err != nil {
			return out, err
		}
		text := func(member string) string {
			if t := line.Text(member); t != nil {
				return *t
			}
			return ""
		}
		if text("chain") != string(name) {
			continue
		}
		at, err := time.Parse(time.RFC3339, text("at"))
		if err != nil {
			return nil, rows.wrong(errors.New("at is not a time"))
		}
		out = append(out, chain.Checkpoint{
			ID: chain.ID{Name: name, CompanyID: in.manifest.Company.ID}, Position: line.Number("position"), Hash: text("hash"),
			Purged: line.Number("purged"), At: at, KeyID: text("key_id"), Signature: text("signature"),
		})
	}
}

// chainedRows are the rows of a chain, in their order.
type chainedRows struct {
	rows, entries *lines
	row, entry    moving.Line // read, but not taken yet
}

func (in *importing) rowsOf(table, entries string) (*chainedRows, error) {
	rows, err := in.some(table)
	if err != nil {
		return nil, err
	}
	out := &chainedRows{rows: rows}
	if entries != "" {
		if out.entries, err = in.some(entries); err != nil {
			return nil, errors.Join(err, rows.close())
		}
	}
	if out.row, err = out.rows.parsed(); err == nil && out.entries != nil {
		out.entry, err = out.entries.parsed()
	}
	return out, err
}

func (r *chainedRows) close() {
	_ = r.rows.close()
	if r.entries != nil {
		_ = r.entries.close()
	}
}

// take returns the row with an id if it is the next one; otherwise nil.
func (r *chainedRows) take(id int64) (*chain.Row, error) {
	if r.row == nil || r.row.Number("id") != id {
		return nil, nil
	}
	row, err := r.next()
	return &row, err
}

func (r *chainedRows) next() (row chain.Row, err error) {
	line := r.row
	if r.row, err = r.rows.parsed(); err != nil {
		return row, err
	}
	if r.entries == nil {
		return line.Entry(), nil
	}
	var entries []moving.Line
	for r.entry != nil && r.entry.Number("transaction_id") == line.Number("id") {
		entries = append(entries, r.entry)
		if r.entry, err = r.entries.parsed(); err != nil {
			return row, err
		}
	}
	return line.Transaction(entries), nil
}

// rest returns the number of rows that were not taken.
func (r *chainedRows) rest() (n int64, err error) {
	for r.row != nil {
		if _, err := r.next(); err != nil {
			return n, err
		}
		n++
	}
	if r.entry != nil {
		return n, r.entries.wrong(errors.New("its transaction is not in the ledger"))
	}
	return n, nil
}
