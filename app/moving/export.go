package moving

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"tilth/app/audit"
	coreaudit "tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/fault"
	"tilth/core/moving"
	"tilth/ports"
)

// Exported describes what an export contains.
type Exported struct {
	*moving.Manifest
	SHA256 string // of the manifest, in hexadecimal, which holds the digest of everything else
}

// changes returns what the trail records about an export.
func (e Exported) changes() []coreaudit.Change {
	return []coreaudit.Change{{Member: "rows", After: e.Rows()}, {Member: "manifest_sha256", After: e.SHA256}}
}

// Exporting is the action of the entry that records an export in the trail of the company.
const Exporting coreaudit.Action = "export"

// Export writes everything that a company has, as of one moment, and records that in its trail. Servers may keep
// running. Faults: NotFound (company), Conflict (orders_open), Unavailable.
func (m *Mover) Export(ctx context.Context, companyID int64, by coreaudit.Entry, to io.Writer) (Exported, error) {
	out, err := m.Write(ctx, companyID, true, to)
	if err != nil {
		return out, err
	}
	entry := by.Of(Exporting, "company", companyID, out.changes())
	entry.CompanyID, entry.At = companyID, m.Clock.Now()
	return out, m.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.Audit.Add(ctx, entry) })
}

// Write writes everything that a company has, with or without the hashes of passwords. Faults: those of [Mover.Export].
func (m *Mover) Write(ctx context.Context, companyID int64, passwords bool, to io.Writer) (Exported, error) {
	if _, err := m.Chains.Run(ctx); err != nil { // so that the chains contain everything committed so far
		return Exported{}, err
	}
	keys, err := (&audit.Verifier{Store: m.Store}).Keys(ctx)
	if err != nil {
		return Exported{}, err
	}
	file := m.Files.Write(to)
	w := &exporting{Mover: m, passwords: passwords, file: file, manifest: moving.Manifest{
		Format: moving.Format, Tilth: string(m.Version), ExportedAt: m.Clock.Now().UTC(), Files: []moving.File{}, LeftOut: []moving.LeftOut{},
	}}
	for _, key := range keys {
		w.manifest.Keys = append(w.manifest.Keys, moving.Key{ID: key.ID, Public: key.Public})
	}
	if err := m.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return w.records(ctx, tx, companyID) }); err != nil {
		return Exported{}, err
	}
	// A file that is removed meanwhile keeps its bytes for a day.
	for _, one := range w.attached {
		if err := w.bytes(ctx, one); err != nil {
			return Exported{}, err
		}
	}
	sum, err := w.end()
	return Exported{&w.manifest, sum}, err
}

// exporting is an export under way.
type exporting struct {
	*Mover
	passwords bool
	file      ports.CompanyFileWriter
	manifest  moving.Manifest
	attached  []attached
}

// attached is a row with stored bytes.
type attached struct {
	table  string
	key    string
	object string
	sum    string // according to its row; empty: the row has none
}

// records writes what the database holds.
func (w *exporting) records(ctx context.Context, tx ports.OperatorRepos, companyID int64) error {
	company, err := tx.Accounts.Company(ctx, companyID)
	if err != nil {
		return err
	}
	w.manifest.Company = moving.Company{ID: company.ID, UUID: company.UUID, Name: company.Name}
	found, err := tx.Carrier.Survey(ctx, companyID)
	if err != nil {
		return err
	}
	w.manifest.Schema, w.manifest.IDs, w.manifest.Wallet = found.Schema, found.IDs, found.Wallet
	w.manifest.LeftOut = append(w.manifest.LeftOut, found.LeftOut...)
	if !w.passwords {
		w.manifest.LeftOut = append(w.manifest.LeftOut, moving.LeftOut{What: "hashes of passwords",
			Why: "this file was made for people of the company; they set new passwords by mail, or an operator exports the company"})
	}
	for _, name := range []chain.Name{chain.Audit, chain.Ledger} {
		id := chain.ID{Name: name, CompanyID: companyID}
		head, err := tx.Chains.Head(ctx, id)
		if err != nil {
			return err
		}
		waiting, err := tx.Chains.CountWaiting(ctx, id)
		if err != nil {
			return err
		}
		w.manifest.Chains = append(w.manifest.Chains, moving.ChainOf(name, head, waiting))
	}
	for _, table := range tx.Carrier.Tables() {
		if err := w.table(ctx, tx, companyID, table); err != nil {
			return err
		}
	}
	for _, outlines := range moving.Outlines {
		if err := w.outlines(ctx, tx, companyID, outlines); err != nil {
			return err
		}
	}
	return nil
}

// entry is the file entry being written; it counts and digests what is written.
type entry struct {
	*bufio.Writer
	bytes int64
	sum   hash.Hash
	to    io.Writer
}

func (e *entry) take(p []byte) (int, error) {
	e.bytes += int64(len(p))
	_, _ = e.sum.Write(p) // writing to a digest never fails
	return e.to.Write(p)
}

type taker func(p []byte) (int, error)

func (t taker) Write(p []byte) (int, error) { return t(p) }

const buffered = 64 << 10

func (w *exporting) begin(name string) (*entry, error) {
	to, err := w.file.Add(name, w.manifest.ExportedAt)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	e := &entry{sum: sha256.New(), to: to}
	e.Writer = bufio.NewWriterSize(taker(e.take), buffered)
	return e, nil
}

func (e *entry) digest() (string, error) {
	err := e.Flush()
	return hex.EncodeToString(e.sum.Sum(nil)), err
}

func (w *exporting) table(ctx context.Context, tx ports.OperatorRepos, companyID int64, table ports.CarriedTable) error {
	out := moving.Table{Name: table.Name, File: moving.TableFile(table.Name)}
	to, err := w.begin(out.File)
	if err != nil {
		return err
	}
	for line, err := range tx.Carrier.Rows(ctx, companyID, table.Name, w.passwords) {
		if err != nil {
			return err
		}
		if len(table.Files) > 0 {
			if err := w.attach(table, line); err != nil {
				return err
			}
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("write %s: %w", out.File, err)
		}
		if out.Rows++; out.Rows%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	out.SHA256, err = to.digest()
	out.Bytes = to.bytes
	w.manifest.Tables = append(w.manifest.Tables, out)
	return err
}

func (w *exporting) attach(table ports.CarriedTable, text []byte) error {
	line, err := moving.ReadLine(text)
	if err != nil {
		return err
	}
	object := line.Text("object")
	if object == nil || *object == "" {
		return nil
	}
	of := attached{table: table.Name, key: line.Key(table.Files), object: *object}
	if sum := line.Text("sha256"); sum != nil {
		of.sum = *sum
	}
	w.attached = append(w.attached, of)
	return nil
}

// bytes writes a stored file as it was attached.
func (w *exporting) bytes(ctx context.Context, of attached) error {
	stored, err := w.Objects.Open(ctx, of.object)
	if fault.Is(err, fault.NotFound) {
		return fault.Newf(fault.Conflict, "file_lost", "The bytes of %s %s are gone from the store of files. Fix: restore them from a backup, or remove the file from its record.", of.table, of.key).Because(err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = stored.Close() }() // it was only read
	out := moving.File{File: moving.RecordFile(of.table, of.key), Of: of.table, Record: of.key}
	to, err := w.begin(out.File)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, io.NewSectionReader(stored, 0, stored.Size())); err != nil {
		return fmt.Errorf("write %s: %w", out.File, err)
	}
	if out.SHA256, err = to.digest(); err != nil {
		return err
	}
	if out.Bytes = to.bytes; of.sum != "" && out.SHA256 != of.sum {
		return fault.Newf(fault.Conflict, "file_lost", "The bytes of %s %s are not those that were attached. Fix: restore them from a backup, or remove the file from its record.", of.table, of.key)
	}
	w.manifest.Files = append(w.manifest.Files, out)
	return nil
}

// outlines writes the outlines of a table as GeoJSON, for people: an import reads the table instead.
func (w *exporting) outlines(ctx context.Context, tx ports.OperatorRepos, companyID int64, of moving.OutlineFile) error {
	to, err := w.begin(of.File)
	if err != nil {
		return err
	}
	_, err = to.WriteString(`{"type":"FeatureCollection","features":[`)
	between := "\n"
	for line, failed := range tx.Carrier.Rows(ctx, companyID, of.Table, false) {
		if failed != nil {
			return failed
		}
		feature, has, failed := of.Feature(line)
		if failed != nil {
			return failed
		}
		if has && err == nil {
			_, err = fmt.Fprintf(to, "%s%s", between, feature)
			between = ",\n"
		}
	}
	if err == nil {
		_, err = to.WriteString("\n]}\n")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", of.File, err)
	}
	sum, err := to.digest()
	w.manifest.Files = append(w.manifest.Files, moving.File{File: of.File, Bytes: to.bytes, SHA256: sum})
	return err
}

// end writes the manifest and returns its digest.
func (w *exporting) end() (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&w.manifest); err != nil {
		return "", err
	}
	to, err := w.begin(moving.ManifestName)
	if err != nil {
		return "", err
	}
	if _, err := to.Write(text.Bytes()); err != nil {
		return "", err
	}
	sum, err := to.digest()
	return sum, errors.Join(err, w.file.Close())
}
