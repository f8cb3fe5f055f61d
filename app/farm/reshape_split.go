package farm

import (
	"context"
	"fmt"
	"strings"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/ports"
)

// SplitRequest asks for the pieces of a field: with their outlines, or by a line that cuts it.
type SplitRequest struct {
	Pieces []Piece
	Line   []geo.Position
	Names  []string                       // of the pieces that a line makes, from west to east; missing names are replaced by numbers
	Agree  func(current farm.Field) error // may refuse the field as it is; nil: it does not
}

// Piece is a requested piece of a field.
type Piece struct {
	Name     string // empty: numbered
	Boundary geo.Boundary
	External record.External
}

// Split replaces a field by its pieces, and returns them; decode is called for the details once the field is found. Faults: those
// of decode; NotFound; Invalid (pieces, line); Conflict (orders_open, boundary_missing, field_changed, duplicate_external_id).
func (r *Reshape) Split(ctx context.Context, who access.Principal, id int64, decode func() (SplitRequest, error)) ([]farm.Field, error) {
	p, err := r.splitting(ctx, who, id, decode)
	if err != nil {
		return nil, err
	}
	return r.replace(ctx, who, p)
}

// PreviewSplit returns the pieces that [Reshape.Split] would make, or its refusal, and stores nothing.
func (r *Reshape) PreviewSplit(ctx context.Context, who access.Principal, id int64, decode func() (SplitRequest, error)) ([]farm.Field, error) {
	p, err := r.splitting(ctx, who, id, decode)
	if err != nil {
		return nil, err
	}
	return r.foretell(ctx, who, p)
}

// splitting returns the replacement for a field that is split.
func (r *Reshape) splitting(ctx context.Context, who access.Principal, id int64, decode func() (SplitRequest, error)) (replacement, error) {
	scope, none := who.Scope(false), replacement{}
	if err := r.permit(ctx, who, access.Fields.Edit.For("split")); err != nil {
		return none, err
	}
	whole, err := app.In(ctx, r.deps.Store.Read, func(ctx context.Context, tx ports.Repos) (farm.Field, error) { return tx.Fields.Get(ctx, scope, id) })
	if err != nil {
		return none, err
	}
	req, err := decode()
	if err != nil {
		return none, err
	}
	pieces, err := r.pieces(ctx, &whole, req)
	return replacement{
		action: Split, was: []farm.Field{whole}, made: pieces, agree: req.Agree,
		cultivate: func(old farmed) (out []sownOn) { return onPieces(old, pieces) },
		land:      func(of []credit.Land, made []credit.Land) []credit.Land { return of[0].Split(made) },
	}, err
}

// pieces returns the new fields that a field is split into. It takes no lock, and its steps are counted against a budget.
func (r *Reshape) pieces(ctx context.Context, whole *farm.Field, req SplitRequest) ([]farm.Field, error) {
	if whole.Boundary == nil {
		return nil, fault.Newf(fault.Conflict, "boundary_missing", "The field has no boundary. Fix: give it one before it is split.").With("fields", []int64{whole.ID})
	}
	budget := effort.Of(ctx, r.limits.OverlapSteps)
	wanted := req.Pieces
	if req.Line != nil {
		var err error
		if wanted, err = r.cut(budget, whole, req); err != nil {
			return nil, tooTangled(ctx, geo.LineField, err)
		}
	} else if err := fits(budget, whole, wanted); err != nil {
		return nil, tooTangled(ctx, "pieces", err)
	}
	out, errs := make([]farm.Field, len(wanted)), fault.Fields{}
	for i, p := range wanted {
		name := strings.TrimSpace(p.Name)
		if name == "" {
			name = fmt.Sprintf("%s %d", whole.Name, i+1)
		}
		out[i] = whole.Piece(name, p.Boundary)
		out[i].External = p.External
		errs.Merge(out[i].Check())
	}
	return out, errs.Err()
}

// cut returns the pieces into which a line cuts a field.
func (r *Reshape) cut(budget *effort.Budget, whole *farm.Field, req SplitRequest) ([]Piece, error) {
	field := whole.Boundary.Geometry()
	for _, end := range []geo.Position{req.Line[0], req.Line[len(req.Line)-1]} {
		if field.Inside(end) && req.Line[0] != req.Line[len(req.Line)-1] {
			return nil, fault.Field(geo.LineField, fmt.Sprintf("The line ends inside the field, at %s. Fix: let it begin and end outside or on the outline.", end))
		}
	}
	parts, err := geo.Cut(budget, field, req.Line)
	if err != nil {
		return nil, err
	}
	switch {
	case len(parts) <= len(field):
		return nil, fault.Field(geo.LineField, "The line does not divide the field. Fix: let it cross the field from outline to outline.")
	case len(parts) > farm.MaxPieces:
		return nil, fault.Field(geo.LineField, fmt.Sprintf("The line makes %d pieces; a field is split into at most %d at once.", len(parts), farm.MaxPieces))
	case len(req.Names) > len(parts):
		return nil, fault.Field("names", fmt.Sprintf("The line makes %d pieces, but there are %d names.", len(parts), len(req.Names)))
	}
	out := make([]Piece, len(parts))
	for i, part := range parts {
		boundary, err := geo.NewBoundary(budget, geo.MultiPolygon{part}.Rounded(overlayDecimals), r.limits)
		if f, ok := fault.As(err); ok {
			return nil, fault.Field(geo.LineField, fmt.Sprintf("Piece %d: %s Fix: draw the line elsewhere.", i, strings.Join(fault.Messages(f.Fields[geo.BoundaryField]), " ")))
		}
		if err != nil {
			return nil, err
		}
		if out[i].Boundary = boundary; i < len(req.Names) {
			out[i].Name = req.Names[i]
		}
	}
	return out, nil
}

// fits refuses pieces that do not divide a field.
func fits(budget *effort.Budget, whole *farm.Field, wanted []Piece) error {
	if len(wanted) < 2 || len(wanted) > farm.MaxPieces {
		return fault.Field("pieces", fmt.Sprintf("Give 2 to %d pieces.", farm.MaxPieces))
	}
	pieces := list.Map(wanted, func(p Piece) geo.MultiPolygon { return p.Boundary.Geometry() })
	fit, err := geo.Fitted(budget, whole.Boundary.Geometry(), pieces)
	if err != nil {
		return err
	}
	return farm.CheckFit(fit, whole.Boundary.Geometry(), pieces).Err()
}

// onPieces returns what was grown on a field as grown on each of its pieces.
func onPieces(old farmed, pieces []farm.Field) (out []sownOn) {
	for i, share := range farm.Shares(pieces) {
		for _, c := range old.cultivations {
			one := sownOn{field: i, cultivation: farm.Cultivation{Season: c.Season, Crop: c.Crop}}
			for _, f := range old.fertilizations[c.ID] {
				one.fertilizations = append(one.fertilizations, f.OnPiece(share))
			}
			out = append(out, one)
		}
	}
	return out
}
