package chain

import "fmt"

// Linked is a link with its row; Row is nil where there is no row with that id.
type Linked struct {
	Link
	Row *Row
}

// Kind is the way in which a chain is broken.
type Kind string

// The kinds.
const (
	Changed Kind = "changed"           // a row, or its link, is not as it was chained
	Gone    Kind = "missing"           // a row, or its link, is gone
	Added   Kind = "added"             // a row was added outside the chain
	Forged  Kind = "checkpoint forged" // a checkpoint, the head included, is signed by no known key, or is of another chain
)

// Break is the first place in which a chain is broken.
type Break struct {
	Kind     Kind
	Position int64 // 0: of no place in the chain
	RowID    int64 // 0: not known
	Detail   string
}

func (b Break) String() string {
	out := string(b.Kind)
	if b.Position != 0 {
		out += fmt.Sprintf(" at position %d", b.Position)
	}
	if b.RowID != 0 {
		out += fmt.Sprintf(", row %d", b.RowID)
	}
	return out + ": " + b.Detail
}

// Verifier walks a chain from its beginning, or from where its rows were purged, to its head.
type Verifier struct {
	id     ID
	head   Checkpoint
	marks  []Checkpoint // in the order of their positions; passed ones are removed
	hash   string       // of the link before
	at     int64        // its position
	erased int64
	broken *Break
}

// NewVerifier returns a verifier of a chain with its head, its zero value for none, and the stored checkpoints of it,
// in the order of their positions.
func NewVerifier(id ID, head Checkpoint, marks []Checkpoint, keys []Key) *Verifier {
	v := &Verifier{id: id, head: head, marks: marks, hash: id.Genesis()}
	if head.Position != 0 && (head.ID != id || !head.Signed(keys) || head.Purged > head.Position || head.Purged < 0) {
		return v.breaks(Forged, head.Position, 0, "the head of the chain, as it is now, is not signed by a known key")
	}
	v.at = head.Purged
	anchored := v.at == 0
	for _, mark := range marks {
		if mark.ID != id || !mark.Signed(keys) || mark.Position > head.Position {
			return v.breaks(Forged, mark.Position, 0, "the checkpoint, as it is now, is not signed by a known key")
		}
		if mark.Position == v.at {
			v.hash, anchored = mark.Hash, true
		}
	}
	if !anchored {
		return v.breaks(Gone, v.at, 0, "the checkpoint below which rows were purged is missing")
	}
	return v
}

func (v *Verifier) breaks(kind Kind, position, row int64, detail string) *Verifier {
	if v.broken == nil {
		v.broken = &Break{kind, position, row, detail}
	}
	return v
}

// From returns the position after which the links are needed.
func (v *Verifier) From() int64 { return v.at }

// Broken returns the first place in which the chain is broken; nil while none is known.
func (v *Verifier) Broken() *Break { return v.broken }

// Verified returns how many links were right so far, and how many values in them are erased.
func (v *Verifier) Verified() (links, erased int64) { return v.at - v.head.Purged, v.erased }

// Next checks the next link of the chain.
func (v *Verifier) Next(l Linked) {
	switch {
	case v.broken != nil:
		return
	case l.Position > v.at+1:
		v.breaks(Gone, v.at+1, 0, "the link is missing")
		return
	case l.Position > v.head.Position:
		v.breaks(Added, l.Position, l.RowID, "the link is beyond the signed head of the chain")
		return
	case l.Row == nil:
		v.breaks(Gone, l.Position, l.RowID, "the row is missing")
		return
	}
	text, wrong := v.id.Text(*l.Row, l.Salts)
	switch {
	case wrong != "":
		v.breaks(Changed, l.Position, l.RowID, wrong)
		return
	case digest(text) != l.Digest || l.Row.ID != l.RowID:
		v.breaks(Changed, l.Position, l.RowID, "the row is not the one that was chained")
		return
	case hash(v.hash, l.Position, l.Digest) != l.Hash:
		v.breaks(Changed, l.Position, l.RowID, "the link does not follow from the previous one")
		return
	}
	v.hash, v.at = l.Hash, l.Position
	v.erased += l.Salts.erased()
	for len(v.marks) > 0 && v.marks[0].Position <= v.at {
		if v.marks[0].Position == v.at && v.marks[0].Hash != v.hash {
			v.breaks(Changed, l.Position, l.RowID, "the chain was rewritten: a checkpoint has another hash")
			return
		}
		v.marks = v.marks[1:]
	}
}

// End checks that the chain reaches its head. stray is the first row, by id, that is neither chained nor waiting to be;
// 0: there is none.
func (v *Verifier) End(stray int64) {
	switch {
	case v.at != v.head.Position:
		v.breaks(Gone, v.at+1, 0, fmt.Sprintf("the chain ends before its signed head, at position %d", v.head.Position))
	case v.head.Position != 0 && v.hash != v.head.Hash:
		v.breaks(Changed, v.at, 0, "the chain was rewritten: its signed head has another hash")
	case stray != 0:
		v.breaks(Added, 0, stray, "the row was added outside the chain")
	}
}
