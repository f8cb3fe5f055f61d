package moving

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/core/chain"
	"tilth/core/credit"
)

// Format is the version of the files that this program writes. A file of a later one is refused.
const Format = 1

// ManifestName is the name of the manifest, the last file of all.
const ManifestName = "manifest.json"

// Manifest states what a file contains.
type Manifest struct {
	Format     int       `json:"format"`
	Tilth      string    `json:"tilth"`  // the version of the program that wrote it
	Schema     string    `json:"schema"` // the newest migration of its database
	ExportedAt time.Time `json:"exported_at"`
	Company    Company   `json:"company"`
	// Tables are in the order in which they can be stored: each after those that it refers to.
	Tables []Table `json:"tables"`
	Files  []File  `json:"files"`
	// LeftOut is what the company has and the file does not, with the reason.
	LeftOut []LeftOut `json:"left_out"`
	// IDs are the ids that each kind of record has, whether the records are in the file or only referred to.
	IDs    map[string]Span `json:"ids"`
	Wallet *Wallet         `json:"wallet"` // null: it has none
	Chains []Chain         `json:"chains"`
	Keys   []Key           `json:"keys"` // that signed the chains
}

// Company is the company whose file it is.
type Company struct {
	ID   int64  `json:"id"`
	UUID string `json:"uuid"`
	Name string `json:"name"`
}

// Table describes the rows of one table, one object a line.
type Table struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// File is a file beside the tables: outlines for people, evidence and photos as they were attached.
type File struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Of and Record name the row whose bytes these are, the latter by its key; empty for files that are only for people.
	Of     string `json:"of,omitempty"`
	Record string `json:"record,omitempty"`
}

// LeftOut names records that are not in the file.
type LeftOut struct {
	What string `json:"what"`
	Rows int64  `json:"rows"`
	Why  string `json:"why"`
}

// Span is a range of ids, from the first to the last.
type Span struct {
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// Has reports whether an id is in a span.
func (s Span) Has(id int64) bool { return id >= s.First && id <= s.Last }

// With returns the span that covers another one too. The zero span holds nothing.
func (s Span) With(other Span) Span {
	switch {
	case other == Span{}:
		return s
	case s == Span{}:
		return other
	}
	return Span{min(s.First, other.First), max(s.Last, other.Last)}
}

// Wallet is the credit of the company, in hundredths.
type Wallet struct {
	Balance credit.Amount `json:"balance"`
	Held    credit.Amount `json:"held"`
}

// Chain is the end of one of the company's chains, as it was signed.
type Chain struct {
	Name      chain.Name `json:"name"`
	Position  int64      `json:"position"`
	Hash      string     `json:"hash"`
	Purged    int64      `json:"purged"`
	At        time.Time  `json:"at"`
	KeyID     string     `json:"key_id"`
	Signature string     `json:"signature"`
	Waiting   int64      `json:"waiting"` // rows that were not chained yet
}

// Key is the public half of a key that signed.
type Key struct {
	ID     string `json:"id"`
	Public []byte `json:"public"`
}

// Head returns the end of a chain; its zero value where nothing was chained.
func (m *Manifest) Head(name chain.Name) (head chain.Checkpoint, waiting int64) {
	for _, c := range m.Chains {
		if c.Name != name {
			continue
		}
		if c.Position == 0 {
			return head, c.Waiting
		}
		return chain.Checkpoint{
			ID: chain.ID{Name: name, CompanyID: m.Company.ID}, Position: c.Position, Hash: c.Hash, Purged: c.Purged, At: c.At,
			KeyID: c.KeyID, Signature: c.Signature,
		}, c.Waiting
	}
	return head, 0
}

// ChainOf is the reverse of [Manifest.Head].
func ChainOf(name chain.Name, head chain.Checkpoint, waiting int64) Chain {
	return Chain{name, head.Position, head.Hash, head.Purged, head.At, head.KeyID, head.Signature, waiting}
}

// Table returns the table of a name.
func (m *Manifest) Table(name string) (Table, bool) {
	i := slices.IndexFunc(m.Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return m.Tables[i], true
}

// Rows counts the rows of all tables.
func (m *Manifest) Rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// TableFile is the name of the file of a table.
func TableFile(table string) string { return "tables/" + table + ".jsonl" }

// RecordFile is the name of the file whose bytes belong to a row.
func RecordFile(table, key string) string { return "files/" + table + "/" + key }

// maxID bounds ids, so that adding to them does not overflow.
const maxID = 1 << 52

// ReadManifest reads a manifest and checks that it makes sense by itself. The error is for people.
func ReadManifest(text []byte) (*Manifest, error) {
	var head struct{ Format int }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if head.Format < 1 || head.Format > Format {
		return nil, fmt.Errorf("it has format %d, and this program reads formats up to %d. Fix: upgrade this installation to the release that wrote the file, or to a later one", head.Format, Format)
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return m, m.check()
}

func (m *Manifest) check() error {
	if m.Company.ID < 1 || m.Company.ID > maxID || m.Company.UUID == "" || m.Company.Name == "" {
		return fmt.Errorf("it names no company")
	}
	for name, ids := range m.IDs {
		if ids.First < 1 || ids.Last < ids.First || ids.Last > maxID {
			return fmt.Errorf("ids.%s is not a range of ids: %d to %d", name, ids.First, ids.Last)
		}
	}
	names := map[string]bool{}
	for i, t := range m.Tables {
		if t.File != TableFile(t.Name) || strings.ContainsAny(t.Name, "/\\.") {
			return fmt.Errorf("tables.%d has the file %q, which is not that of %q", i, t.File, t.Name)
		}
		if names[t.File] || t.Rows < 0 || t.Bytes < 0 {
			return fmt.Errorf("tables.%d, %s, is listed twice or has a negative size", i, t.Name)
		}
		names[t.File] = true
	}
	for i, f := range m.Files {
		if names[f.File] || f.Bytes < 0 || f.File == "" || f.File == ManifestName {
			return fmt.Errorf("files.%d, %q, is listed twice or cannot be a file", i, f.File)
		}
		if f.Of != "" && f.File != RecordFile(f.Of, f.Record) {
			return fmt.Errorf("files.%d has the name %q, which is not that of %s %s", i, f.File, f.Of, f.Record)
		}
		names[f.File] = true
	}
	for i, c := range m.Chains {
		if c.Name != chain.Audit && c.Name != chain.Ledger || c.Position < 0 || c.Purged < 0 || c.Waiting < 0 {
			return fmt.Errorf("chains.%d is not a chain of a company", i)
		}
	}
	return nil
}
