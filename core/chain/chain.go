// Package chain makes rewriting of stored rows evident: the rows of a company stand in a chain of
// hashes, whose end is signed. It defines what is hashed and signed, to the byte, and finds
// the first row that is not as it was chained. It stores nothing.
package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Name names a chain by the rows that it is made of.
type Name string

// The chains: two of every company, and one of the installation.
const (
	Ledger   Name = "ledger"   // transactions with their entries
	Audit    Name = "audit"    // entries of the audit trail
	Operator Name = "operator" // the trail of the operator, whose company is 0
)

// Names lists them.
var Names = []Name{Audit, Ledger, Operator}

// ID names a chain.
type ID struct {
	Name      Name
	CompanyID int64 // 0: of no company
}

// Genesis returns what stands in the place of the hash before the first: the digest of
// "tilth chain NAME COMPANY".
func (id ID) Genesis() string { return digest(fmt.Sprintf("tilth chain %s %d", id.Name, id.CompanyID)) }

// Field is one value of a row. Of a guarded value only a salted digest is hashed, so that the
// value can be erased and the chain stays whole.
type Field struct {
	Name    string
	Value   *string // nil: none
	Guarded bool
}

// Row is a row as it is stored.
type Row struct {
	ID     int64
	Fields []Field // its id and its company among them; the same names in the same order in every row, except for those of lists
}

// Link is the place of a row in its chain.
type Link struct {
	Position int64 // counts up from 1
	RowID    int64
	Salts    Salts  // of the guarded values
	Digest   string // of the text of the row
	Hash     string // of the hash before, the position and the digest
}

// Text returns what is hashed of a row: one line of JSON, an object of its fields in their order, every value a string
// or null; a guarded value is replaced by its salted digest. wrong states a fault for people; it is empty where there
// is none.
func (id ID) Text(row Row, salts Salts) (text, wrong string) {
	out := append(make([]byte, 0, 512), `{"chain":`...)
	out = appendQuoted(out, string(id.Name))
	guarded := 0
	for _, f := range row.Fields {
		if f.Guarded && f.Value != nil {
			guarded++
		}
	}
	all, ok := salts.values(guarded)
	if !ok {
		return "", "its salts are not those of its values"
	}
	for _, f := range row.Fields {
		out = append(appendQuoted(append(out, ','), f.Name), ':')
		switch {
		case f.Value == nil:
			out = append(out, "null"...)
		case f.Guarded:
			value, fits := all[0].digest(*f.Value)
			if !fits {
				return "", "an erased value was overwritten"
			}
			all = all[1:]
			out = appendQuoted(out, value)
		default:
			out = appendQuoted(out, *f.Value)
		}
	}
	return string(append(out, '}')), ""
}

// appendQuoted appends text as JSON, without the escapes that are for HTML.
func appendQuoted(out []byte, text string) []byte {
	if asIs(text) {
		return append(append(append(out, '"'), text...), '"')
	}
	var slow bytes.Buffer
	enc := json.NewEncoder(&slow)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string is always JSON
	return append(out, bytes.TrimSuffix(slow.Bytes(), []byte("\n"))...)
}

// digest returns the SHA-256 of words, one space between them, in hexadecimal.
func digest(words ...string) string {
	text := make([]byte, 0, 512) // a row with its values, on the stack
	for i, word := range words {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, word...)
	}
	sum := sha256.Sum256(text)
	var out [2 * sha256.Size]byte
	hex.Encode(out[:], sum[:])
	return string(out[:])
}

// hash returns the hash of a link: the digest of "BEFORE POSITION DIGEST".
func hash(before string, position int64, digest_ string) string {
	return digest(before, strconv.FormatInt(position, 10), digest_)
}

// Append returns the link of a row after the head of its chain, and the new head.
func (id ID) Append(head Checkpoint, row Row, salt string) (Link, Checkpoint, error) {
	if head.Position == 0 {
		head.Hash = id.Genesis()
	}
	link := Link{Position: head.Position + 1, RowID: row.ID, Salts: Salts(salt)}
	if !slices.ContainsFunc(row.Fields, func(f Field) bool { return f.Guarded && f.Value != nil }) {
		link.Salts = ""
	}
	text, wrong := id.Text(row, link.Salts)
	if wrong != "" {
		return link, head, fmt.Errorf("chain: row %d of %s: %s", row.ID, id.Name, wrong)
	}
	link.Digest = digest(text)
	link.Hash = hash(head.Hash, link.Position, link.Digest)
	head.ID, head.Position, head.Hash = id, link.Position, link.Hash
	return link, head, nil
}
