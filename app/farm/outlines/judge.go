package outlines

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"

	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// importCandidate is a feature that may become a field.
type importCandidate struct {
	index    int64
	line     int64 // in a table; 0: none
	said     farm.Said
	boundary *geo.Boundary
	outline  geo.MultiPolygon // set even if the outline is refused
	skip     bool             // it holds no outline
	sown     farm.Sown        // the crop on it according to the file
	applied  []application    // applications to it according to the file
	address  *farm.Farm       // its farm's address in the file; nil: the file has none
	errors   fault.Fields     // why the feature is skipped or refused
}

func (c importCandidate) uuid() string       { return c.said.Texts["uuid"] }
func (c importCandidate) externalID() string { return c.said.Texts["external_id"] }

// fallbackName returns the name of a field that has none in the file.
func (c importCandidate) fallbackName() string { return "Field " + strconv.FormatInt(c.index+1, 10) }

// prepareCandidate reads from a feature what an import needs.
func prepareCandidate(index int64, f ports.Feature, mapping farm.Mapping, known knownIDs) importCandidate {
	c := importCandidate{index: index, line: f.Line, boundary: f.Boundary, address: f.Farm}
	c.said, c.errors = mapping.Read(f.Attributes, f.Cut)
	if c.outline = geo.Unsound(f.Err); f.Boundary != nil {
		c.outline = f.Boundary.Geometry()
	}
	twice := fault.Fields{}
	for member, id := range map[string]string{"uuid": c.uuid(), "external_id": c.externalID()} {
		twice.AddIf(known.add(member, id), member, "%q occurs in the file more than once.", id)
	}
	switch reason, isFault := fault.As(f.Err); {
	case isFault:
		c.errors.Merge(reason.Fields)
	case f.Err != nil:
		c.errors.Add(fault.NonField, "The feature cannot be read.")
	case f.Boundary == nil:
		c.skip, c.errors = true, fault.Fields{}
		if f.Geometry != "" {
			c.errors.Add(geo.BoundaryField, "The feature is a "+f.Geometry+", which is not an outline.")
		} else {
			c.errors.Add(geo.BoundaryField, "The feature has no geometry.")
		}
	default:
		c.errors.Merge(twice)
	}
	return c
}

// knownIDs holds the keys of a file as hashes of eight bytes: a file may have millions. The
// probability that two of a million collide is below one in ten million.
type knownIDs map[uint64]struct{}

// add reports whether the id of a member was added before; the empty id never was.
func (k knownIDs) add(member, id string) (again bool) {
	if id == "" {
		return false
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(member + "\x00" + id)) // a hash write never fails
	sum := h.Sum64()
	_, again = k[sum]
	k[sum] = struct{}{}
	return again
}

// judgedPiece holds the verdicts on candidates, and the changes that they ask for.
type judgedPiece struct {
	judged  []farm.Judged
	changes []farmapp.Change[farm.Field]
	of      []int // the candidate of each change
}

// judgeCandidates compares candidates, each with its destination, with the fields of their company.
func judgeCandidates(ctx context.Context, tx ports.Repos, scope access.Scope, homes []home, candidates []importCandidate) (out judgedPiece, err error) {
	var found matches
	var externalIDs, uuids []string
	for _, c := range candidates {
		externalIDs = append(externalIDs, c.externalID())
		if id := c.uuid(); id != "" {
			uuids = append(uuids, id)
		}
	}
	if found.byExternalID, err = tx.Imports.Matches(ctx, scope, farmIDs(homes), externalIDs); err != nil {
		return out, err
	}
	if found.byUUID, err = tx.Imports.MatchesByUUID(ctx, scope, uuids); err != nil {
		return out, err
	}
	out.judged = make([]farm.Judged, len(candidates))
	for i, c := range candidates {
		change, verdict := c.against(found, homes[i])
		out.judged[i] = verdict
		if verdict.Verdict == batch.Create || verdict.Verdict == batch.Update {
			out.changes, out.of = append(out.changes, change), append(out.of, i)
		}
	}
	return out, nil
}

// matches are the live fields that candidates may stand for.
type matches struct {
	byUUID       map[string]farm.Field   // in the whole company
	byExternalID map[string][]farm.Field // in the farms that candidates go to
}

// of returns the field that a candidate stands for; nil: it is new. The uuid, which an export wrote, takes precedence over the
// key of another system.
func (m matches) of(c importCandidate, at home) (*farm.Field, fault.Fields) {
	wrong := fault.Fields{}
	if wrong.Merge(at.wrong); len(wrong) > 0 {
		return nil, wrong
	}
	if field, ok := m.byUUID[c.uuid()]; ok {
		if field.Farm.ID != at.ID {
			wrong.Addf("uuid", "It is the field %d (%s) of another farm, %d (%s). Fix: import into that farm, or leave the uuid out of the mapping (map=uuid:) to create another field.",
				field.ID, field.Name, field.Farm.ID, field.Farm.Name)
		}
		return &field, wrong
	}
	found := slices.DeleteFunc(slices.Clone(m.byExternalID[c.externalID()]), func(f farm.Field) bool { return f.Farm.ID != at.ID })
	switch len(found) {
	case 0:
		return nil, wrong
	case 1:
		return &found[0], wrong
	default:
		wrong.Addf("external_id", "%d fields of the farm have %q; only one may have it.", len(found), c.externalID())
		return nil, wrong
	}
}

// Settle judges the piece and stores the fields of the sound candidates, along with any missing farms that they go to. Farms are locked:
// they cannot be deleted meanwhile, and imports into them wait for one another, so that two imports of the same file do not make every
// field twice.
func (p *featurePieces) Settle(ctx context.Context, tx ports.Repos) ([]farm.Judged, error) {
	scope := p.who.Scope(false)
	homes, err := p.lockHomes(ctx, tx)
	if err != nil {
		return nil, err
	}
	piece, err := judgeCandidates(ctx, tx, scope, homes, p.piece)
	if err != nil {
		return nil, err
	}
	if err := p.makeFarms(ctx, tx, &piece); err != nil {
		return nil, err
	}
	settled, err := p.Fields.Settle(ctx, tx, p.who, piece.changes, p.end, !p.background())
	if err != nil {
		return nil, err
	}
	for i, s := range settled {
		j := &piece.judged[piece.of[i]]
		if len(s.Errors) > 0 {
			j.Verdict, j.Errors, j.Field = batch.Fail, s.Errors, nil
			continue
		}
		field := s.Record
		j.FieldID, j.Field, j.Overlaps = field.ID, &field, field.Overlaps
	}
	if err := p.sow(ctx, tx, piece.judged); err != nil {
		return nil, err
	}
	return piece.judged, p.spread(ctx, tx, piece.judged)
}

// against compares a candidate with the existing fields, and returns the change it asks for.
func (c importCandidate) against(found matches, at home) (farmapp.Change[farm.Field], farm.Judged) {
	out := farm.Judged{Index: c.index, Line: c.line, Name: cmp.Or(c.said.Texts["name"], c.fallbackName()), ExternalID: c.externalID(), Outline: c.outline, Errors: c.errors, Farm: at.Destination}
	if c.boundary != nil {
		out.AreaM2 = (&farm.Field{Boundary: c.boundary}).AreaM2()
	}
	if c.skip {
		out.Verdict = batch.Skip
		return farmapp.Change[farm.Field]{}, out
	}
	before, wrong := found.of(c, at)
	after := farm.Field{Name: c.fallbackName(), Farm: at.Ref, Boundary: c.boundary}
	if before != nil {
		after, out.FieldID = *before, before.ID
	}
	changed := c.said.Assign(&after, wrong)
	if len(c.errors) > 0 || len(wrong) > 0 {
		out.Verdict, out.Errors = batch.Fail, maps.Clone(c.errors)
		out.Errors.Merge(wrong)
		return farmapp.Change[farm.Field]{}, out
	}
	out.Name, out.Verdict = after.Name, batch.Create
	if before != nil {
		if sameOutline(before.Boundary, c.boundary) {
			after.Boundary = before.Boundary
		} else {
			after.Boundary, changed = c.boundary, true
		}
		if out.ExternalID, out.Verdict = after.ExternalID, batch.Update; !changed {
			out.Verdict = batch.Skip
			return farmapp.Change[farm.Field]{}, out
		}
	}
	return farmapp.Change[farm.Field]{Before: before, After: after}, out
}

// sameDegrees is the largest difference between positions of outlines that count as the same, in degrees: a tenth of a
// millimetre. Formats that write decimals have nine of them.
const sameDegrees = 1e-9

func sameOutline(a, b *geo.Boundary) bool {
	same := func(p, q geo.Position) bool {
		return math.Abs(p.X-q.X) <= sameDegrees && math.Abs(p.Y-q.Y) <= sameDegrees
	}
	rings := func(a, b geo.Ring) bool { return slices.EqualFunc(a, b, same) }
	return a != nil && b != nil && slices.EqualFunc(a.Geometry(), b.Geometry(), func(a, b geo.Polygon) bool { return slices.EqualFunc(a, b, rings) })
}

// withoutTrace removes the ids of fields that were rolled back.
func withoutTrace(judged []farm.Judged) []farm.Judged {
	gone := map[int64]bool{}
	for _, j := range judged {
		if j.Verdict == batch.Create {
			gone[j.FieldID] = true
		}
	}
	for i := range judged {
		j := &judged[i]
		if j.Farm.Made {
			j.Farm.ID = 0
		}
		if gone[j.FieldID] {
			j.FieldID = 0
		}
		if j.Sown.Made {
			j.Sown.CultivationID = 0
		}
		for k, a := range j.Applied {
			if a.Outcome == batch.Create {
				j.Applied[k].FertilizationID = 0
			}
		}
		for k, o := range j.Overlaps.Fields {
			if gone[o.ID] {
				j.Overlaps.Fields[k].ID = 0
			}
		}
	}
	return judged
}
