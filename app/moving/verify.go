package moving

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"tilth/core/chain"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/moving"
)

const publicKeySize = ed25519.PublicKeySize

// given reads public keys.
func given(texts []string) (out []chain.Key, err error) {
	for _, text := range texts {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != publicKeySize {
			return nil, fault.Field("key", "A public key is 44 characters, as `tilth verify keys` prints it.")
		}
		out = append(out, chain.PublicKey(raw))
	}
	return out, nil
}

// verify reads the whole file once: every digest and count is that of the manifest, the chains are whole, the ledger comes
// to the wallet.
func (in *importing) verify(ctx context.Context) error {
	for _, t := range in.manifest.Tables {
		lines, err := in.digested(ctx, t.File, t.Bytes, t.SHA256)
		if err != nil {
			return err
		}
		if lines != t.Rows {
			return refuse("%s has %d rows, and the manifest says %d", t.File, lines, t.Rows)
		}
	}
	for _, f := range in.manifest.Files {
		if _, err := in.digested(ctx, f.File, f.Bytes, f.SHA256); err != nil {
			return err
		}
	}
	if err := in.people(); err != nil {
		return err
	}
	if err := in.chain(ctx, chain.Audit, "audit_entries", ""); err != nil {
		return err
	}
	if err := in.chain(ctx, chain.Ledger, "ledger_transactions", "ledger_entries"); err != nil {
		return err
	}
	return in.balanced()
}

func (in *importing) digested(ctx context.Context, name string, size int64, sum string) (lines int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	content, err := in.file.Open(name, size)
	if err != nil {
		return 0, err
	}
	defer func() { _ = content.Close() }()
	found, lines, err := discard(content)
	if err == nil && found != sum {
		err = refuse("%s is not what was exported: its SHA-256 is not that of the manifest. Fix: copy the file once more, or export the company again", name)
	}
	return lines, err
}

// maxLine bounds a row: the largest holds the labels of a map.
const maxLine = 300 << 20

// lines reads the rows of a table.
type lines struct {
	file string
	from io.ReadCloser
	read *bufio.Reader
	line int64 // the number of the last one
	text []byte
}

func (in *importing) lines(t moving.Table) (*lines, error) {
	from, err := in.file.Open(t.File, t.Bytes)
	if err != nil {
		return nil, err
	}
	return &lines{file: t.File, from: from, read: bufio.NewReaderSize(from, buffered)}, nil
}

func (l *lines) close() error { return l.from.Close() }

// wrong is an error of the last line.
func (l *lines) wrong(err error) error { return refuse("%s, line %d: %v", l.file, l.line, err) }

// next returns the next line, which is good until the one after; io.EOF behind the last.
func (l *lines) next() ([]byte, error) {
	l.text = l.text[:0]
	for {
		part, err := l.read.ReadSlice('\n')
		l.text = append(l.text, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(l.text) > maxLine {
				l.line++
				return nil, l.wrong(fmt.Errorf("it has more than %d MiB", maxLine>>20))
			}
			continue
		case errors.Is(err, io.EOF) && len(l.text) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		l.line++
		return bytes.TrimSuffix(l.text, []byte{'\n'}), nil
	}
}

// each yields the lines that pass a check.
func (l *lines) each(check func([]byte) error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			text, err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = check(text)
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}

// parsed returns the next row; nil behind the last.
func (l *lines) parsed() (moving.Line, error) {
	text, err := l.next()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	line, err := moving.ReadLine(text)
	if err != nil {
		return nil, l.wrong(err)
	}
	return line, nil
}

// none is a table that the file does not have.
func (in *importing) some(table string) (*lines, error) {
	listed, ok := in.manifest.Table(table)
	if !ok {
		return &lines{file: moving.TableFile(table), from: io.NopCloser(nil), read: bufio.NewReader(bytes.NewReader(nil))}, nil
	}
	return in.lines(listed)
}

// people reads the addresses of the company's people.
func (in *importing) people() error {
	rows, err := in.some("users")
	if err != nil {
		return err
	}
	defer func() { _ = rows.close() }()
	for {
		line, err := rows.parsed()
		if line == nil || err != nil {
			return err
		}
		if email := line.Text("email"); email != nil && line.Text("company_id") != nil {
			in.emails = append(in.emails, *email)
		}
	}
}

// chain verifies a chain of the company as it was, with its signatures. entries is the table of the lines of its rows.
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
		err = refuse("%s has %d rows that are not chained, and the manifest says %d", moving.TableFile(table), loose, waiting)
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
			return nil, rows.wrong(errors.New("at is no time"))
		}
		out = append(out, chain.Checkpoint{
			ID: chain.ID{Name: name, CompanyID: in.manifest.Company.ID}, Position: line.Number("position"), Hash: text("hash"),
			Purged: line.Number("purged"), At: at, KeyID: text("key_id"), Signature: text("signature"),
		})
	}
}

// chainedRows are the rows of a chain, in its order.
type chainedRows struct {
	rows, entries *lines
	row, entry    moving.Line // read, and not taken yet
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

// take returns the row of an id, where it is the next; else nil.
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

// rest counts the rows that were not taken.
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

// balanced adds up the ledger.
func (in *importing) balanced() error {
	wallet, err := in.wallet()
	if err != nil {
		return err
	}
	rows, err := in.some("ledger_entries")
	if err != nil {
		return err
	}
	defer func() { _ = rows.close() }()
	var books moving.Books
	for {
		line, err := rows.parsed()
		if err != nil {
			return err
		}
		if line == nil {
			break
		}
		account := line.Text("account")
		if account == nil {
			return rows.wrong(errors.New("it names no account"))
		}
		books.Add(credit.Account(*account), credit.Amount(line.Number("amount")))
	}
	if err := books.Balanced(wallet); err != nil {
		return refuse("%v", err)
	}
	return nil
}

// wallet reads the row of the wallet; nil where there is none.
func (in *importing) wallet() (*moving.Wallet, error) {
	rows, err := in.some("wallets")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.close() }()
	line, err := rows.parsed()
	if line == nil || err != nil {
		return nil, err
	}
	return &moving.Wallet{Balance: credit.Amount(line.Number("balance")), Held: credit.Amount(line.Number("held"))}, nil
}
