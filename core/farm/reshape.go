package farm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// The maximum numbers of pieces that a field is split into, and of fields that are merged.
const (
	MaxPieces = 50
	MaxMerged = 100
)

// Lineage names the fields that a field was made from, and those that were made from it.
type Lineage struct {
	SplitFrom  int64   // 0: it is not a piece of another
	MergedFrom []int64 // by id; none: it was not merged
	ReplacedBy []int64 // by id; those that it was split or merged into
}

// Descent states how one field came from another.
type Descent struct {
	From, To int64
	Merged   bool // with others; else it is a piece
}

// FitTolerance is the share of an area by which pieces may leave a field uncovered, go beyond it, or overlap, as outlines
// that were drawn along one fence do. It equals the share above which the boundaries of two fields count as overlapping.
const FitTolerance = 0.005

// CheckFit returns what is wrong with pieces that are to divide a field: gaps, land beyond the field and overlaps are named with their areas.
func CheckFit(fit geo.Fit, whole geo.MultiPolygon, pieces []geo.MultiPolygon) fault.Fields {
	f := fault.Fields{}
	area := make([]float64, len(pieces))
	for i, p := range pieces {
		area[i] = geo.AreaM2(p)
	}
	if of := geo.AreaM2(whole); fit.Gap > FitTolerance*of {
		f.Addf("pieces", "The pieces leave %s of the field's %s uncovered. Fix: add a piece for it, or draw the others up to it.", hectares(fit.Gap), hectares(of))
	}
	for i, beyond := range fit.Beyond {
		if beyond > FitTolerance*area[i] {
			f.Addf("pieces", "Piece %d extends beyond the field by %s of its %s. Fix: change the boundary of the field first, or draw the piece inside it.", i, hectares(beyond), hectares(area[i]))
		}
	}
	for _, o := range fit.Overlaps {
		if o.M2 > FitTolerance*min(area[o.A], area[o.B]) {
			f.Addf("pieces", "Pieces %d and %d overlap by %s. Fix: give that land to one of them.", o.A, o.B, hectares(o.M2))
		}
	}
	return f
}

func hectares(m2 float64) string { return fmt.Sprintf("%.4f ha", m2/10_000) }

// Piece returns a new field that is a piece of the field: it keeps what is recorded about the field. Its declared area
// is the field's, in proportion to its share of the boundary.
func (r *Field) Piece(name string, boundary geo.Boundary) Field {
	out := *r
	out.Meta, out.UUID, out.External, out.Overlaps, out.Astray = record.Meta{}, "", record.External{}, Overlaps{}, nil
	out.Name, out.Boundary, out.Lineage = name, &boundary, Lineage{SplitFrom: r.ID}
	out.Reshaped = true
	out.DeclaredAreaHa = times(r.DeclaredAreaHa, boundary.AreaHa()/r.Boundary.AreaHa())
	return out
}

// Merged returns the new field that fields of one farm become. Its boundary is the union of theirs, nil where none has
// one. Values that all of them share are kept; declared areas are added up.
func Merged(name string, parts []Field, boundary *geo.Boundary) Field {
	out := Field{Name: name, Farm: parts[0].Farm, Boundary: boundary, DeclaredAreaHa: new(0.0)}
	for _, p := range parts {
		out.Lineage.MergedFrom = append(out.Lineage.MergedFrom, p.ID)
		if p.DeclaredAreaHa == nil || out.DeclaredAreaHa == nil {
			out.DeclaredAreaHa = nil
			continue
		}
		*out.DeclaredAreaHa += *p.DeclaredAreaHa
	}
	slices.Sort(out.Lineage.MergedFrom)
	out.BoundaryCategory = alike(parts, func(p Field) string { return p.BoundaryCategory })
	out.BoundaryMethod = alike(parts, func(p Field) string { return p.BoundaryMethod })
	out.SoilType = alike(parts, func(p Field) string { return p.SoilType })
	out.Tenure = alike(parts, func(p Field) string { return p.Tenure })
	out.Notes = alike(parts, func(p Field) string { return p.Notes })
	out.Irrigated = alikeValue(parts, func(p Field) *bool { return p.Irrigated })
	out.BoundaryObservedOn = alikeValue(parts, func(p Field) *time.Time { return p.BoundaryObservedOn })
	out.ActiveFrom = alikeValue(parts, func(p Field) *time.Time { return p.ActiveFrom })
	out.ActiveTo = alikeValue(parts, func(p Field) *time.Time { return p.ActiveTo })
	return out
}

// alike returns the value that all parts have; the zero value where they differ.
func alike[V comparable](parts []Field, of func(Field) V) V {
	first := of(parts[0])
	for _, p := range parts {
		if of(p) != first {
			var none V
			return none
		}
	}
	return first
}

func alikeValue[V comparable](parts []Field, of func(Field) *V) *V {
	first := of(parts[0])
	for _, p := range parts {
		if v := of(p); v == nil || first == nil || *v != *first {
			return nil
		}
	}
	return first
}

func times(value *float64, factor float64) *float64 {
	if value == nil {
		return nil
	}
	return new(*value * factor)
}

// OnPiece returns a new application that is the part of this one on a piece of its field: a rate stays, a total and a treated
// area are shared out by area.
func (r Fertilization) OnPiece(share float64) Fertilization {
	r.External = record.External{} // no other record can have the same
	if a := r.Amount; a != nil && !a.Unit.PerArea() {
		part := *a
		part.Value *= share
		r.Amount = &part
	}
	r.TreatedAreaHa = times(r.TreatedAreaHa, share)
	return r
}

// OnMerged returns the application as one on the field that its own became a part of: it still covers the area that it treated.
func (r Fertilization) OnMerged(part *Field) Fertilization {
	if r.TreatedAreaHa == nil {
		r.TreatedAreaHa = part.KnownAreaHa()
	}
	return r
}

// sown is a crop in a season.
type sown struct{ season, crop int64 }

// Together groups the cultivations that become one where their fields are merged: those of the same crop in the same
// season, in the order of the first of each group.
func Together(all []Cultivation) [][]Cultivation {
	at := map[sown]int{}
	var out [][]Cultivation
	for _, c := range all {
		key := sown{c.Season.ID, c.Crop.ID}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key], out = i, append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

// MixedSeason is a season in which fields that are to be merged grew different crops.
type MixedSeason struct {
	Season record.Ref     `json:"season"`
	Fields []FieldOfCrops `json:"fields"`
}

// FieldOfCrops is what a field grew in a season.
type FieldOfCrops struct {
	Field record.Ref   `json:"field"`
	Crops []record.Ref `json:"crops"`
}

// Mixed returns the seasons in which fields with cultivations grew different crops: once they are merged, each of the
// crops would stand for all of the land.
func Mixed(all []Cultivation) []MixedSeason {
	seasons := map[int64]*MixedSeason{}
	for _, c := range all {
		s := seasons[c.Season.ID]
		if s == nil {
			s = &MixedSeason{Season: c.Season}
			seasons[c.Season.ID] = s
		}
		i := slices.IndexFunc(s.Fields, func(f FieldOfCrops) bool { return f.Field.ID == c.Field.ID })
		if i < 0 {
			i, s.Fields = len(s.Fields), append(s.Fields, FieldOfCrops{Field: c.Field})
		}
		if f := &s.Fields[i]; !slices.Contains(f.Crops, c.Crop) {
			f.Crops = append(f.Crops, c.Crop)
			slices.SortFunc(f.Crops, func(a, b record.Ref) int { return cmp.Compare(a.ID, b.ID) })
		}
	}
	var out []MixedSeason
	for _, id := range slices.Sorted(maps.Keys(seasons)) {
		s := seasons[id]
		for _, f := range s.Fields[1:] {
			if !slices.Equal(f.Crops, s.Fields[0].Crops) {
				out = append(out, *s)
				break
			}
		}
	}
	return out
}

// Shares returns the share of each piece in the area of all: they add up to 1.
func Shares(pieces []Field) []float64 {
	total := 0.0
	for i := range pieces {
		total += pieces[i].Boundary.AreaHa()
	}
	out := make([]float64, len(pieces))
	for i := range pieces {
		out[i] = pieces[i].Boundary.AreaHa() / total
	}
	return out
}
