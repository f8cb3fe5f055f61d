package outlines

import (
	"context"
	"errors"

	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/record"
)

// acrossSteps is the number of pairs of edges that a preview compares between its pieces: as many as its ten pieces compare within.
const acrossSteps = 50_000_000

// across adds to the features of a preview the overlapping features of other pieces, because each transaction saw only one piece. If the
// steps do not suffice, every outline is marked as possibly overlapping others, as it is within a piece.
func across(ctx context.Context, judged []farm.Judged, piece int, steps int64) error {
	budget := effort.Of(ctx, steps)
	compared := farm.NewComparison(budget)
	var all []farm.Place
	for i, j := range judged {
		if j.Field != nil && j.Field.Boundary != nil {
			all = append(all, farm.Place{ID: int64(i), Box: j.Field.Boundary.Bounds()})
		}
	}
	err := comparePieces(budget, compared, judged, farm.NewPlaces(all), int64(piece))
	for _, pair := range compared.Pairs {
		a, b := &judged[pair[0]], &judged[pair[1]]
		overlapsNew(&a.Overlaps, b)
		overlapsNew(&b.Overlaps, a)
	}
	if !errors.Is(err, effort.ErrSpent) {
		return err
	}
	for _, p := range all {
		judged[p.ID].Overlaps.Pending = true
	}
	return nil
}

func comparePieces(budget *effort.Budget, compared *farm.Comparison, judged []farm.Judged, all farm.Places, piece int64) error {
	for i, j := range judged {
		if j.Field == nil || j.Field.Boundary == nil {
			continue
		}
		id := int64(i)
		for other, err := range all.Near(budget, farm.Place{ID: id, Box: j.Field.Boundary.Bounds()}) {
			if err != nil {
				return err
			}
			if other > id || other/piece == id/piece {
				continue
			}
			if err := errors.Join(compared.Learn(id, j.Field.Boundary), compared.Learn(other, judged[other].Field.Boundary)); err != nil {
				return err
			}
			if err := compared.Compare(id, other); err != nil {
				return err
			}
		}
	}
	return nil
}

// overlapsNew adds a feature to the overlaps of another. Features that are not stored have no id, and are not mistaken for one another.
func overlapsNew(of *farm.Overlaps, other *farm.Judged) {
	switch ref := (record.Ref{ID: other.FieldID, Name: other.Name}); {
	case ref.ID != 0:
		of.Add(ref)
	case len(of.Fields) == farm.MaxOverlaps:
		of.More = true
	default:
		of.Fields = append(of.Fields, ref)
	}
}
