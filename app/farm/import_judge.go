package farm

import (
	"context"
	"hash/fnv"
	"reflect"
	"strconv"

	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
)

// importCandidate is a feature on its way to become a field.
type importCandidate struct {
	index      int64
	name       string
	named      bool // the file says the name
	externalID string
	boundary   *geo.Boundary
	skip       bool         // it holds no outline
	errors     fault.Fields // why it is skipped or refused
}

// prepareCandidate reads from a feature what an import needs of it.
func prepareCandidate(index int64, f ports.Feature, options farm.ImportOptions, known knownIDs) importCandidate {
	c := importCandidate{index: index, boundary: f.Boundary, errors: fault.Fields{}}
	c.name = f.Attributes[options.NameProperty]
	if c.named = c.name != ""; !c.named {
		c.name = "Field " + strconv.FormatInt(index+1, 10)
	}
	if options.ExternalIDProperty != "" {
		c.externalID = f.Attributes[options.ExternalIDProperty]
	}
	again := known.add(c.externalID)
	switch reason, isFault := fault.As(f.Err); {
	case isFault:
		c.errors = reason.Fields
	case f.Err != nil:
		c.errors.Add(fault.NonField, "The feature cannot be read.")
	case f.Boundary == nil && f.Geometry != "":
		c.skip = true
		c.errors.Add(geo.BoundaryField, "The feature is a "+f.Geometry+", which is no outline.")
	case f.Boundary == nil:
		c.skip = true
		c.errors.Add(geo.BoundaryField, "The feature has no geometry.")
	case again:
		c.errors.Addf("external_id", "%q stands in the file more than once.", c.externalID)
	}
	return c
}

// knownIDs holds the external ids of a file as hashes of eight bytes: a file may have millions.
// That two of a million share one is less likely than a one-in-ten-million chance.
type knownIDs map[uint64]struct{}

// add reports whether the id was there before; the empty one never was.
func (k knownIDs) add(id string) (again bool) {
	if id == "" {
		return false
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // a hash takes everything
	sum := h.Sum64()
	_, again = k[sum]
	k[sum] = struct{}{}
	return again
}

// judgedPiece is what becomes of candidates, with the changes that they ask for.
type judgedPiece struct {
	judged  []farm.Judged
	changes []Change[farm.Field]
	of      []int // the candidate of each change
}

// judgeCandidates holds candidates against the fields of their farm.
func judgeCandidates(ctx context.Context, tx ports.Repos, scope access.Scope, farmID int64, candidates []importCandidate) (out judgedPiece, err error) {
	asked := make([]string, len(candidates))
	for i, c := range candidates {
		asked[i] = c.externalID
	}
	matches, err := tx.Imports.Matches(ctx, scope, farmID, asked)
	if err != nil {
		return out, err
	}
	out.judged = make([]farm.Judged, len(candidates))
	for i, c := range candidates {
		change, verdict := c.against(matches[c.externalID], farmID)
		out.judged[i] = verdict
		if verdict.Verdict == batch.Create || verdict.Verdict == batch.Update {
			out.changes, out.of = append(out.changes, change), append(out.of, i)
		}
	}
	return out, nil
}

// Settle judges the piece and stores the fields of those that are sound. The farm is locked: it cannot be deleted
// meanwhile, and imports into it wait for one another, so that two of the same file do not make every field twice.
func (p *featurePieces) Settle(ctx context.Context, tx ports.Repos) ([]farm.Judged, error) {
	scope := p.who.Scope(false)
	if _, err := tx.Farms.GetForUpdate(ctx, scope, p.batch.Options.FarmID); err != nil {
		return nil, err
	}
	piece, err := judgeCandidates(ctx, tx, scope, p.batch.Options.FarmID, p.piece)
	if err != nil {
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
	return piece.judged, nil
}

// against holds a candidate against the fields that carry its external id, and gives the change it asks for.
func (c importCandidate) against(matched []farm.Field, farmID int64) (Change[farm.Field], farm.Judged) {
	out := farm.Judged{Index: c.index, Name: c.name, ExternalID: c.externalID, Errors: c.errors}
	if c.boundary != nil {
		out.AreaM2 = (&farm.Field{Boundary: c.boundary}).AreaM2()
	}
	switch {
	case c.skip:
		out.Verdict = batch.Skip
	case len(c.errors) > 0:
		out.Verdict = batch.Fail
	case len(matched) > 1:
		out.Verdict, out.Errors = batch.Fail, fault.Fields{}
		out.Errors.Addf("external_id", "%d fields of the farm carry %q; it must be one.", len(matched), c.externalID)
	case len(matched) == 1:
		before, after := matched[0], matched[0]
		out.FieldID = before.ID
		after.Boundary = c.boundary
		if c.named {
			after.Name = c.name
		}
		if out.Name = after.Name; before.Name == after.Name && sameOutline(before.Boundary, after.Boundary) {
			out.Verdict = batch.Skip
			break
		}
		out.Verdict = batch.Update
		return Change[farm.Field]{Before: &before, After: after}, out
	default:
		out.Verdict = batch.Create
		after := farm.Field{Name: c.name, Farm: record.Ref{ID: farmID}, Boundary: c.boundary, External: record.External{ExternalID: c.externalID}}
		return Change[farm.Field]{After: after}, out
	}
	return Change[farm.Field]{}, out
}

func sameOutline(a, b *geo.Boundary) bool {
	return a != nil && b != nil && reflect.DeepEqual(a.Geometry(), b.Geometry())
}

// withoutTrace removes the ids of fields that were taken back.
func withoutTrace(judged []farm.Judged) []farm.Judged {
	gone := map[int64]bool{}
	for _, j := range judged {
		if j.Verdict == batch.Create {
			gone[j.FieldID] = true
		}
	}
	for i := range judged {
		j := &judged[i]
		if gone[j.FieldID] {
			j.FieldID = 0
		}
		for k, o := range j.Overlaps.Fields {
			if gone[o.ID] {
				j.Overlaps.Fields[k].ID = 0
			}
		}
	}
	return judged
}
