package moving

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/fault"
	"tilth/core/moving"
	"tilth/ports"
)

// Wishes are the operator's decisions about a company that arrives.
type Wishes struct {
	Name   string            // another name; empty: as in the file
	Emails map[string]string // other addresses of people, by those in the file
	Keys   []string          // in base64, the keys that must have signed its chains; none: those that the file names
	By     audit.Entry       // the operator who stores it
}

// Arrived is a company that has been stored.
type Arrived struct {
	Company  ports.Company
	Manifest *moving.Manifest
	Rows     int64
	Files    int64
}

// Importing is the action of the first entry in the trail of a company that arrived.
const Importing audit.Action = "import"

// maxManifest bounds the manifest, which is held in memory: some 300,000 files.
const maxManifest = 64 << 20

// Import verifies a file and stores its company, whole or not at all. Faults: Invalid (company_file), Conflict (company_here,
// company_exists, emails_taken), Unavailable.
func (m *Mover) Import(ctx context.Context, file ports.Object, wishes Wishes) (out Arrived, err error) {
	in := &importing{Mover: m, wishes: wishes}
	if in.file, err = m.Files.Open(file); err != nil {
		return out, err
	}
	if err := in.open(ctx); err != nil {
		return out, err
	}
	if err := in.verify(ctx); err != nil {
		return out, err
	}
	if err := in.look(ctx); err != nil {
		return out, err
	}
	in.arrival = m.IDs.UUID()
	begun := m.Clock.Now()
	if err := m.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Arrivals.Begin(ctx, in.arrival, begun)
	}); err != nil {
		return out, err
	}
	if err = in.store(ctx, &out); err != nil {
		// What was stored of its files is removed now; if that fails, the servers' chore removes it.
		return out, errors.Join(err, m.giveUp(context.WithoutCancel(ctx), in.arrival))
	}
	_, err = m.Chains.Run(ctx)
	return out, err
}

// importing is an import under way.
type importing struct {
	*Mover
	file     ports.CompanyFileReader
	wishes   Wishes
	manifest *moving.Manifest
	sum      string // of the manifest
	keys     []chain.Key
	tables   []ports.CarriedTable
	emails   []string
	arrival  string
	digests  map[string]string // of the files that hold rows, by name
}

// open reads the manifest and checks the names of the file's entries against it.
func (in *importing) open(ctx context.Context) error {
	text, err := in.file.Small(moving.ManifestName, maxManifest)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(text)
	in.sum = hex.EncodeToString(digest[:])
	if in.manifest, err = moving.ReadManifest(text); err != nil {
		return refuse("%s: %v", moving.ManifestName, err)
	}
	if in.tables, err = app.In(ctx, in.Store.Consult, func(_ context.Context, tx ports.OperatorRepos) ([]ports.CarriedTable, error) {
		return tx.Carrier.Tables(), nil
	}); err != nil {
		return err
	}
	known, listed := map[string]bool{}, map[string]bool{moving.ManifestName: true}
	for _, t := range in.tables {
		known[t.Name] = true
	}
	for _, t := range in.manifest.Tables {
		listed[t.File] = true
		if !known[t.Name] {
			return refuse("%s: %s is not a table here. Fix: upgrade this installation to the release that wrote the file (%s), or to a later one", moving.ManifestName, t.Name, in.manifest.Tilth)
		}
	}
	in.digests = make(map[string]string, len(in.manifest.Files))
	for _, f := range in.manifest.Files {
		listed[f.File] = true
		if f.Of != "" {
			in.digests[f.File] = f.SHA256
		}
	}
	for _, name := range in.file.Names() {
		if !listed[name] {
			return refuse("%.80q is in it, but the manifest does not list it", name)
		}
	}
	return in.useKeys()
}

// useKeys decides which keys must have signed the chains.
func (in *importing) useKeys() error {
	if len(in.wishes.Keys) > 0 {
		keys, err := given(in.wishes.Keys)
		in.keys = keys
		return err
	}
	for i, key := range in.manifest.Keys {
		if len(key.Public) != publicKeySize {
			return refuse("%s: keys.%d is not a public key", moving.ManifestName, i)
		}
		in.keys = append(in.keys, chain.PublicKey(key.Public))
	}
	return nil
}

// look checks whether parts of the company exist here already.
func (in *importing) look(ctx context.Context) error {
	company := in.manifest.Company
	in.wishes.Name = strings.TrimSpace(in.wishes.Name)
	if in.wishes.Name == "" {
		in.wishes.Name = company.Name
	}
	emails := make([]string, len(in.emails))
	for i, email := range in.emails {
		if emails[i] = email; in.wishes.Emails[email] != "" {
			emails[i] = in.wishes.Emails[email]
		}
	}
	for old := range in.wishes.Emails {
		if !slices.Contains(in.emails, old) {
			return fault.Newf(fault.Invalid, "company_file", "Nobody in the file has the address %s, which is to become %s.", old, in.wishes.Emails[old])
		}
	}
	here, err := app.In(ctx, in.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.AlreadyHere, error) {
		return tx.Carrier.Here(ctx, company.UUID, in.wishes.Name, emails)
	})
	switch {
	case err != nil:
		return err
	case here.Company != 0:
		return fault.Newf(fault.Conflict, "company_here", "The company %s already exists here, as company %d: a company is stored once.", company.UUID, here.Company)
	case here.Name != 0:
		return fault.Newf(fault.Conflict, "company_exists", "Company %d already has the name %q. Fix: give another one with --name.", here.Name, in.wishes.Name)
	case len(here.Emails) > 0:
		return fault.Newf(fault.Conflict, "emails_taken",
			"%d addresses of its people are those of users here, and a user belongs to one company: %s. Fix: give other addresses with --email OLD=NEW.",
			len(here.Emails), strings.Join(here.Emails[:min(len(here.Emails), shownEmails)], ", "))
	}
	return nil
}

// shownEmails is the number of addresses that a message names.
const shownEmails = 20

// folder is the folder for the bytes of an import's files.
const folder = "moved/"

func (in *importing) object(table, key string) string {
	return path.Join(folder, in.arrival, table+"-"+key) // flat: clearing a folder does not include folders below it
}

// store stores the bytes of files, then all rows in one transaction.
func (in *importing) store(ctx context.Context, out *Arrived) error {
	for _, f := range in.manifest.Files {
		if f.Of == "" {
			continue
		}
		content, err := in.file.Open(f.File, f.Bytes)
		if err != nil {
			return err
		}
		_, err = in.Objects.Put(ctx, in.object(f.Of, f.Record), content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
		out.Files++
	}
	return in.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return in.rows(ctx, tx, out)
	})
}

// rows stores all rows. It may run again, and then starts from the beginning.
func (in *importing) rows(ctx context.Context, tx ports.OperatorRepos, out *Arrived) error {
	now := in.Clock.Now()
	spans := map[string]moving.Span{}
	for name, ids := range in.manifest.IDs {
		spans[name] = ids
	}
	company := moving.Span{First: in.manifest.Company.ID, Last: in.manifest.Company.ID}
	if spans["companies"] != company {
		return refuse("%s: ids.companies does not match the company", moving.ManifestName)
	}
	// One id more: the first entry of the trail is that of the import.
	trail := spans["audit_entries"].With(moving.Span{First: 1, Last: 1})
	if ids, some := spans["audit_entries"]; some {
		trail = ids
	}
	trail.First--
	spans["audit_entries"] = trail
	shifts, err := tx.Carrier.Reserve(ctx, spans)
	if err != nil {
		return err
	}
	arrival := ports.Arrival{
		IDs: moving.IDs{Spans: spans, Shifts: shifts}, Name: in.wishes.Name, Emails: in.wishes.Emails, Object: in.object, ExportedAt: in.manifest.ExportedAt,
	}
	if arrival.Crops, err = tx.Carrier.Crops(ctx); err != nil {
		return err
	}
	out.Rows = 0
	for _, table := range in.tables {
		listed, some := in.manifest.Table(table.Name)
		if !some || table.Proof {
			continue
		}
		if table.Name == "audit_entries" {
			if err := in.opens(ctx, tx, arrival, now); err != nil {
				return err
			}
		}
		n, err := in.insert(ctx, tx, arrival, table, listed)
		if err != nil {
			return err
		}
		out.Rows += n
	}
	if err := tx.Arrivals.End(ctx, in.arrival); err != nil {
		return err
	}
	id, _ := arrival.IDs.Move("companies", in.manifest.Company.ID)
	out.Manifest = in.manifest
	out.Company, err = tx.Accounts.Company(ctx, id)
	return err
}

// opens stores the first entry of the trail: it names the ends of the chains that the company had.
func (in *importing) opens(ctx context.Context, tx ports.OperatorRepos, arrival ports.Arrival, now time.Time) error {
	company, _ := arrival.IDs.Move("companies", in.manifest.Company.ID)
	audited, _ := in.manifest.Head(chain.Audit)
	ledger, _ := in.manifest.Head(chain.Ledger)
	changes := []audit.Change{
		{Member: "uuid", After: in.manifest.Company.UUID}, {Member: "former_id", After: in.manifest.Company.ID},
		{Member: "exported_at", After: in.manifest.ExportedAt.UTC().Format(time.RFC3339)}, {Member: "manifest_sha256", After: in.sum},
		{Member: "audit_head", After: said(audited)}, {Member: "ledger_head", After: said(ledger)},
	}
	entry := in.wishes.By.Of(Importing, "company", company, changes)
	entry.CompanyID, entry.At = company, now
	entry.ID, _ = arrival.IDs.Move("audit_entries", arrival.IDs.Spans["audit_entries"].First)
	return tx.Carrier.Open(ctx, entry)
}

// said returns the end of a chain as the trail names it: what was signed; nil if nothing was chained.
func said(head chain.Checkpoint) any {
	if head.Position == 0 {
		return nil
	}
	return head.Message()
}

func (in *importing) insert(ctx context.Context, tx ports.OperatorRepos, arrival ports.Arrival, table ports.CarriedTable, listed moving.Table) (int64, error) {
	rows, err := in.lines(listed)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.close() }()
	n, err := tx.Carrier.Insert(ctx, table.Name, arrival, rows.each(func(text []byte) error { return in.check(table, text) }))
	if row := (moving.RowError{}); errors.As(err, &row) {
		return n, rows.wrong(row)
	}
	if err == nil && n != listed.Rows {
		err = refuse("%s has %d rows, but the manifest says %d", listed.File, n, listed.Rows)
	}
	return n, err
}

// check checks a row against the rest of the file, and against what a company may have.
func (in *importing) check(table ports.CarriedTable, text []byte) error {
	if len(table.Files) == 0 && table.Name != "role_slugs" {
		return nil
	}
	line, err := moving.ReadLine(text)
	if err != nil {
		return moving.RowError{Cause: err}
	}
	if len(table.Files) > 0 {
		if object := line.Text("object"); object == nil || *object == "" {
			return nil
		}
		name := moving.RecordFile(table.Name, line.Key(table.Files))
		has, there := in.digests[name]
		if sum := line.Text("sha256"); !there || sum != nil && has != *sum {
			return moving.RowError{Cause: fmt.Errorf("its bytes are not in %s: sha256 differs", name)}
		}
		return nil
	}
	if slug := line.Text("slug"); slug == nil || !access.KnownPattern(*slug) {
		return moving.RowError{Cause: fmt.Errorf("%s is not a permission here. Fix: upgrade this installation to the release that wrote the file, or to a later one", line["slug"])}
	}
	return nil
}

// giveUp removes the stored files of an import that failed.
func (m *Mover) giveUp(ctx context.Context, arrival string) error {
	if err := m.Objects.RemoveOlder(ctx, path.Join(folder, arrival), m.Clock.Now().Add(time.Hour)); err != nil {
		return err
	}
	return m.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		err := tx.Arrivals.End(ctx, arrival)
		if fault.Is(err, fault.NotFound) {
			return nil // another process was first
		}
		return err
	})
}

// keptFor is the time that an import may take.
const keptFor = 24 * time.Hour

// Sweep removes the stored files of imports that were killed, and returns the number of these imports.
func (m *Mover) Sweep(ctx context.Context) (total int64, err error) {
	before := m.Clock.Now().Add(-keptFor)
	late, err := app.In(ctx, m.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]string, error) {
		return tx.Arrivals.Begun(ctx, before)
	})
	for _, arrival := range late {
		if err := m.giveUp(ctx, arrival); err != nil {
			return total, err
		}
		total++
	}
	return total, err
}

// discard reads an entry to its end and returns its digest and its number of lines.
func discard(from io.Reader) (sum string, lines int64, err error) {
	digest := sha256.New()
	var last byte = '\n'
	buffer := make([]byte, buffered)
	for {
		n, err := from.Read(buffer)
		_, _ = digest.Write(buffer[:n])
		for _, b := range buffer[:n] {
			if last = b; b == '\n' {
				lines++
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", 0, err
		}
	}
	if last != '\n' {
		lines++
	}
	return hex.EncodeToString(digest.Sum(nil)), lines, nil
}
