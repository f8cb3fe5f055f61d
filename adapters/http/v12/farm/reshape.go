package farm

import (
	"context"
	"net/http"
	"strconv"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// FieldSplit states how a field is split: by the outlines of its pieces, or by a line.
type FieldSplit struct {
	Pieces *[]FieldPiece `json:"pieces" required:"false" minItems:"2" maxItems:"50" doc:"The pieces with their outlines, which divide the field; left out where line is given."`
	Line   member.Line   `json:"line" required:"false" doc:"GeoJSON LineString that crosses the field from outline to outline, any number of times: every part that it makes is a piece. Left out where pieces is given."`
	Names  *[]string     `json:"names" required:"false" maxItems:"50" doc:"Names of the pieces that a line makes, from west to east; where left out, the field's name with a number."`
}

// FieldPiece is a piece of a field.
type FieldPiece struct {
	Name       *string        `json:"name" required:"false" maxLength:"255" doc:"Name of the piece; left out: the field's with a number."`
	Boundary   member.Outline `json:"boundary" doc:"GeoJSON Polygon or MultiPolygon, longitude first; a Feature of one is accepted."`
	ExternalID string         `json:"external_id" required:"false" maxLength:"255" doc:"The key of the piece in another system."`
	Source     string         `json:"source" required:"false" maxLength:"255" doc:"The other system."`
}

// FieldMerge states how fields are merged into one.
type FieldMerge struct {
	FieldIDs   []int64 `json:"field_ids" minItems:"2" maxItems:"100" doc:"Ids of fields of one farm, each once."`
	Name       string  `json:"name" minLength:"1" maxLength:"255" doc:"Name of the merged field."`
	ExternalID string  `json:"external_id" required:"false" maxLength:"255" doc:"Its key in another system; that of one of the fields may be given."`
	Source     string  `json:"source" required:"false" maxLength:"255" doc:"The other system."`
	KeepMixed  *bool   `json:"keep_mixed" required:"false" doc:"true: seasons in which the fields grew different crops keep a cultivation of each; otherwise such seasons are 409."`
}

// FieldOutline is a field that would be made.
type FieldOutline struct {
	Name     string         `json:"name" doc:"Its name."`
	AreaHa   *float64       `json:"area_ha" doc:"Area of its boundary on the ellipsoid, hectares to four decimals; null without a boundary."`
	Boundary member.Outline `json:"boundary" doc:"Its boundary; null without one."`
}

func outlineOf(r farm.Field) FieldOutline {
	shown := showField(r)
	return FieldOutline{shown.Name, shown.AreaHa, shown.Boundary}
}

const previewText = "Takes the body of the request that does it, says what it would make or why it would be refused, and stores nothing."

const splitText = "Replaces a field by its pieces, in one step: the field is deleted, and its pieces inherit its farm and descriptive data, its cultivations and their fertilizations " +
	"(a rate stays, a total and a treated area are shared out by area), and its lineage (`split_from`). Pieces of a field that was charged count as charged. " +
	"Profiles, assessments and areas of interest of the field stay readable with it.\n\n" +
	"Pieces divide the field: a gap, an overlap or land outside it of more than half a percent is 400, and is named with its area. " +
	"It needs `field.edit`, `field.create` and `field.delete`. To undo it, delete the pieces and restore the field."

const mergeText = "Replaces fields of one farm by the field that they are together, in one step: its boundary is their union, data that are the same for all of them stay, and its lineage is `merged_from`. " +
	"Cultivations of the same crop in the same season become one, with all fertilizations, each of which still covers the land that it covered. A merged field counts as charged where all of its parts are; " +
	"otherwise an order for it is charged for the land of those that are not.\n\n" +
	"Seasons in which the fields grew different crops are 409 with `details.seasons`, unless `keep_mixed` is true. " +
	"It needs `field.edit`, `field.create` and `field.delete`. To undo it, delete the field and restore the others."

func registerReshape(a *rest.API, reshape *farmapp.Reshape, limits geo.Limits) {
	route := rest.Routes{Base: "field/", Operation: "field", Tag: farmTag, Noun: "field", Keys: rest.KeyInQuery}.Route
	split := route(http.MethodPost, "{id}/split/", access.Fields.Edit.For("split"), "Split a field")
	split.Description, split.Message, split.Body = splitText, "Field split.", rest.Body[FieldSplit]()
	split.Faults = []int{http.StatusConflict, http.StatusPreconditionFailed}
	rest.Handle(a, split, func(ctx context.Context, c *rest.Call, in form.ByID) ([]Field, error) {
		made, err := reshape.Split(ctx, c.Principal(), in.ID, func() (farmapp.SplitRequest, error) {
			req, err := readSplit(ctx, c, limits)
			req.Agree = func(current farm.Field) error { return form.CheckIfMatch(c, current, showField) }
			return req, err
		})
		return form.Each(made, showField), err
	})
	split = route(http.MethodPost, "{id}/split/preview/", access.Fields.Edit.For("preview_split"), "Preview a split")
	split.Description, split.Message, split.Body = previewText, "Previewed.", rest.Body[FieldSplit]()
	split.Faults = []int{http.StatusConflict}
	rest.Handle(a, split, func(ctx context.Context, c *rest.Call, in form.ByID) ([]FieldOutline, error) {
		made, err := reshape.PreviewSplit(ctx, c.Principal(), in.ID, func() (farmapp.SplitRequest, error) { return readSplit(ctx, c, limits) })
		return form.Each(made, outlineOf), err
	})
	merge := route(http.MethodPost, "merge/", access.Fields.Edit.For("merge"), "Merge fields")
	merge.Description, merge.Message = mergeText, "Fields merged."
	merge.Faults = []int{http.StatusNotFound, http.StatusConflict}
	rest.Handle(a, merge, func(ctx context.Context, c *rest.Call, in rest.JSON[FieldMerge]) (Field, error) {
		made, err := reshape.Merge(ctx, c.Principal(), mergeOf(in.Body))
		return showField(made), err
	})
	merge = route(http.MethodPost, "merge/preview/", access.Fields.Edit.For("preview_merge"), "Preview a merge")
	merge.Description, merge.Message = previewText, "Previewed."
	merge.Faults = []int{http.StatusNotFound, http.StatusConflict}
	rest.Handle(a, merge, func(ctx context.Context, c *rest.Call, in rest.JSON[FieldMerge]) (FieldOutline, error) {
		made, err := reshape.PreviewMerge(ctx, c.Principal(), mergeOf(in.Body))
		return outlineOf(made), err
	})
}

// mergeOf returns the merge that a body requests.
func mergeOf(b FieldMerge) farmapp.MergeRequest {
	return farmapp.MergeRequest{
		Fields: b.FieldIDs, Name: b.Name, External: record.External{ExternalID: b.ExternalID, Source: b.Source}, KeepMixed: form.OrZero(b.KeepMixed),
	}
}

// readSplit reads how a field is to be split.
func readSplit(ctx context.Context, c *rest.Call, limits geo.Limits) (farmapp.SplitRequest, error) {
	body, err := rest.DecodeChange(c, FieldSplit{})
	if err != nil {
		return farmapp.SplitRequest{}, err
	}
	return splitOf(effort.Of(ctx, limits.OverlapSteps), body, limits)
}

// splitOf returns the split that a body requests, with all errors in the body.
func splitOf(budget *effort.Budget, b FieldSplit, limits geo.Limits) (req farmapp.SplitRequest, err error) {
	errs, byPiece := fault.Fields{}, fault.Fields{}
	switch line := len(b.Line.RawObject) > 0; {
	case line && b.Pieces != nil:
		errs.Add("line", "Give pieces or a line, not both.")
	case line:
		if req.Line, err = geo.ParseLine(b.Line.RawObject, limits.MaxVertices); err != nil {
			return req, err
		}
		req.Names = form.OrZero(b.Names)
	case b.Pieces == nil:
		errs.Add("pieces", "Give the pieces, or a line that cuts the field.")
	case b.Names != nil:
		errs.Add("names", "Names go with a line; a piece has its own name.")
	default:
		for i, p := range *b.Pieces {
			boundary, err := geo.ParseGeoJSON(budget, p.Boundary.RawObject, limits)
			if f, ok := fault.As(err); ok {
				byPiece.Nest(strconv.Itoa(i), f.Fields)
			} else if err != nil {
				return req, err
			}
			req.Pieces = append(req.Pieces, farmapp.Piece{
				Name: form.OrZero(p.Name), Boundary: boundary, External: record.External{ExternalID: p.ExternalID, Source: p.Source},
			})
		}
	}
	errs.Nest("pieces", byPiece)
	return req, errs.Err()
}
