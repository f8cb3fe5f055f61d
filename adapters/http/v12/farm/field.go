package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/schema"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// FieldWrite is the writable form of a field.
type FieldWrite struct {
	form.OfCompany
	Name               string         `json:"name" minLength:"1" maxLength:"255" doc:"Name of the field; several may have the same."`
	FarmID             int64          `json:"farm_id" minimum:"1" doc:"Id of the farm it belongs to, of your company."`
	Boundary           member.Outline `json:"boundary" required:"false" doc:"GeoJSON Polygon or MultiPolygon, longitude first; a Feature of one is accepted. Without a boundary a field cannot be observed by satellite."`
	DeclaredAreaHa     *float64       `json:"declared_area_ha" required:"false" exclusiveMinimum:"0" maximum:"100000" doc:"Area in hectares as declared, for instance in the land register; null: not known. It counts where there is no boundary."`
	BoundaryCategory   *string        `json:"boundary_category" required:"false" enum:"conceptual,operational,economic,administrative,other" doc:"What the boundary is for, in the words of ISO 11783; null: not known."`
	BoundaryMethod     *string        `json:"boundary_method" required:"false" enum:"manual,surveyed,driven,auto_operation,auto_imagery,unknown" doc:"How the boundary was made, in the words of ISO 11783; null: not known."`
	BoundaryObservedOn *member.Date   `json:"boundary_observed_on" required:"false" doc:"Day on which the boundary was surveyed or drawn; null: not known."`
	SoilType           string         `json:"soil_type" required:"false" maxLength:"255" doc:"Type of soil, in your own words."`
	Irrigated          *bool          `json:"irrigated" required:"false" doc:"Whether the field is irrigated; where all fields of an assessment say false, its prefill proposes that declaration. null: not known."`
	Tenure             string         `json:"tenure" required:"false" maxLength:"64" doc:"How it is held, such as owned or leased, in your own words."`
	ActiveFrom         *member.Date   `json:"active_from" required:"false" doc:"First day on which it is farmed; null: no bound."`
	ActiveTo           *member.Date   `json:"active_to" required:"false" doc:"Last day on which it is farmed, not before active_from; null: no bound."`
	Notes              string         `json:"notes" required:"false" maxLength:"4000" doc:"Free text, for people; no rule reads it."`
	form.External
}

// Warning is something that may be wrong, but is never a reason to refuse.
type Warning struct {
	Code    string `json:"code" doc:"overlap, overlap_pending (whether it overlaps others is still being checked in the background), sliver, likely_axis_swap (it lies far from the farm's location, country or other fields, or where nothing is grown, and with the axes swapped it does not) or far_from_farm."`
	Message string `json:"message" doc:"What may be wrong, for people."`
	Swapped *Point `json:"swapped" doc:"The centroid with its axes swapped, where that fits the farm."`
}

// Field is a field in answers.
type Field struct {
	form.Meta
	FieldWrite
	UUID       string     `json:"uuid" format:"uuid" doc:"The field's uuid, which profile orders and areas of interest name it by; the service sets it, and it never changes."`
	Farm       form.Ref   `json:"farm" doc:"The farm it belongs to."`
	AreaHa     *float64   `json:"area_ha" doc:"Area of the boundary on the ellipsoid, hectares to four decimals; null without a boundary."`
	PerimeterM *float64   `json:"perimeter_m" doc:"Geodesic length of the rings, metres."`
	Centroid   *Point     `json:"centroid" doc:"Centre of the boundary; null without one."`
	BBox       *[]float64 `json:"bbox" doc:"West, south, east, north, degrees."`
	Warnings   []Warning  `json:"warnings" doc:"What may be wrong with the boundary; it is not a reason for refusal."`
	SplitFrom  *int64     `json:"split_from" doc:"Id of the field that it is a piece of; null: of none. It is not shown for fields that others share."`
	MergedFrom []int64    `json:"merged_from" doc:"Ids of the fields that were merged into it."`
	ReplacedBy []int64    `json:"replaced_by" doc:"For a deleted field: ids of those that it was split or merged into."`
}

func registerFields(a *rest.API, records *farmapp.Records[farm.Field], limits geo.Limits) {
	filters := form.WithExternalID(form.ListParams("A part of the name, whatever its case.", "name", "area_ha"),
		rest.Param{Name: "farm", Type: rest.Integer, Description: "Id of the farm."})
	registerRecords(a, records, rest.Resource[FieldWrite, Field]{
		Plural: "fields", Shareable: true,
		Description:  "A field is a piece of land of a farm. As `application/geo+json` (or with `?format=geojson`) the list is a FeatureCollection, with the same filters and pages.",
		Filters:      filters,
		Alternatives: []rest.Alternative{featuresOf(records, filters)},
		Forms:        []rest.Alternative{featureOf(records)},
		OddBulk:      bulkRefused,
	}, form.Mapping[farm.Field, FieldWrite, Field]{
		Apply: func(budget *effort.Budget, b FieldWrite, r *farm.Field) fault.Fields {
			return applyField(budget, b, r, limits)
		},
		Write: writeField,
		Show:  showField,
	})
}

func applyField(budget *effort.Budget, b FieldWrite, r *farm.Field, limits geo.Limits) fault.Fields {
	b.Apply(&r.Meta)
	r.Name, r.Farm = b.Name, record.Ref{ID: b.FarmID}
	r.DeclaredAreaHa, r.BoundaryCategory, r.BoundaryMethod = b.DeclaredAreaHa, form.OrZero(b.BoundaryCategory), form.OrZero(b.BoundaryMethod)
	r.BoundaryObservedOn, r.SoilType, r.Irrigated = form.TimeOf(b.BoundaryObservedOn), b.SoilType, b.Irrigated
	r.Tenure, r.ActiveFrom, r.ActiveTo = b.Tenure, form.TimeOf(b.ActiveFrom), form.TimeOf(b.ActiveTo)
	r.Notes, r.External = b.Notes, b.External.Record()
	if len(b.Boundary.RawObject) == 0 {
		r.Boundary = nil
		return nil
	}
	if bytes.Equal(b.Boundary.RawObject, boundaryJSON(r.Boundary).RawObject) {
		return nil // sent back as it was shown: the same boundary, to the last digit
	}
	boundary, err := geo.ParseGeoJSON(budget, b.Boundary.RawObject, limits)
	if f, ok := fault.As(err); ok {
		return f.Fields
	}
	if err != nil {
		return nil // the budget ended, which the code that provided it notices
	}
	r.Boundary = &boundary
	return nil
}

// showWarnings returns what may be wrong with a boundary, except the fields that it overlaps.
func showWarnings(b *geo.Boundary, astray *farm.Astray, overlaps farm.Overlaps) []Warning {
	out := []Warning{}
	if b == nil {
		return out
	}
	for _, w := range b.Warnings() {
		if astray == nil || w.Code != astray.Code { // the farm knows more about the place
			out = append(out, Warning{Code: w.Code, Message: w.Message})
		}
	}
	if astray != nil {
		out = append(out, Warning{astray.Code, astray.Message, form.Pointed(astray.Swapped, pointOf)})
	}
	if overlaps.More {
		out = append(out, Warning{Code: "overlap", Message: fmt.Sprintf("The boundary overlaps more fields than the %d that are named.", farm.MaxOverlaps)})
	}
	if overlaps.Pending {
		out = append(out, Warning{Code: "overlap_pending", Message: "Whether the boundary overlaps other fields is still being checked; read the field again later."})
	}
	return out
}

func boundaryJSON(b *geo.Boundary) member.Outline {
	if b == nil {
		return member.Outline{}
	}
	return geometryJSON(b.Geometry())
}

func geometryJSON(m geo.MultiPolygon) member.Outline {
	raw, _ := json.Marshal(m) // a boundary holds finite numbers only
	return member.Outline{RawObject: raw}
}

func writeField(r farm.Field) FieldWrite {
	return FieldWrite{
		OfCompany: form.CompanyOf(r.Meta), Name: r.Name, FarmID: r.Farm.ID, Boundary: boundaryJSON(r.Boundary),
		DeclaredAreaHa: r.DeclaredAreaHa, BoundaryCategory: form.OrNull(r.BoundaryCategory), BoundaryMethod: form.OrNull(r.BoundaryMethod),
		BoundaryObservedOn: form.DateOf(r.BoundaryObservedOn), SoilType: r.SoilType, Irrigated: r.Irrigated, Tenure: r.Tenure,
		ActiveFrom: form.DateOf(r.ActiveFrom), ActiveTo: form.DateOf(r.ActiveTo), Notes: r.Notes, External: form.ExternalOf(r.External),
	}
}

func showField(r farm.Field) Field {
	out := Field{Meta: form.MetaOf(r.Meta), FieldWrite: writeField(r), UUID: r.UUID, Farm: form.RefOf(r.Farm), Warnings: showWarnings(r.Boundary, r.Astray, r.Overlaps)}
	out.SplitFrom, out.MergedFrom, out.ReplacedBy = form.If(r.Lineage.SplitFrom != 0, r.Lineage.SplitFrom), append([]int64{}, r.Lineage.MergedFrom...), append([]int64{}, r.Lineage.ReplacedBy...)
	if b := r.Boundary; b != nil {
		box := b.Bounds()
		out.AreaHa, out.PerimeterM, out.Centroid = new(geo.RoundHa(b.AreaHa())), new(b.PerimeterM()), new(pointOf(b.Centroid()))
		out.BBox = &[]float64{box.MinX, box.MinY, box.MaxX, box.MaxY}
	}
	for _, o := range r.Overlaps.Fields {
		out.Warnings = append(out.Warnings, Warning{Code: "overlap", Message: fmt.Sprintf("The boundary overlaps that of field %d (%s).", o.ID, o.Name)})
	}
	return out
}

// fieldProperties are the properties of a field's Feature, whose geometry is the boundary.
type fieldProperties struct {
	Field
	Boundary *struct{} `json:"boundary,omitempty"` // hides the member of the field
}

func fieldFeature(r farm.Field) rest.Feature[fieldProperties] {
	shown := showField(r)
	return rest.Feature[fieldProperties]{ID: r.ID, BBox: shown.BBox, Geometry: shown.Boundary.RawObject, Properties: fieldProperties{Field: shown}}
}

func featuresOf(records *farmapp.Records[farm.Field], filters []rest.Param) rest.Alternative {
	return rest.Alternative{
		Media: rest.GeoJSONType, Format: "geojson", Description: "A FeatureCollection of the page; `Link` and `X-Total-Count` say where the page is in the list.",
		Handle: func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			in, err := rest.Read[form.SharedList](c)
			if err != nil {
				return rest.Raw{}, err
			}
			found, err := records.List(ctx, c.Principal(), in.Share, form.QueryOf(in.Page(), filters, in.Values))
			if err != nil {
				return rest.Raw{}, err
			}
			return rest.Features(c, in.Page(), rest.Map(form.Listing(found), fieldFeature))
		},
	}
}

func featureOf(records *farmapp.Records[farm.Field]) rest.Alternative {
	return rest.Alternative{
		Media: rest.GeoJSONType, Format: "geojson", Schema: schema.Feature, Description: "A Feature.",
		Handle: func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			in, err := rest.Read[form.SharedByID](c)
			if err != nil {
				return rest.Raw{}, err
			}
			record, err := records.Retrieve(ctx, c.Principal(), in.Share, in.ID)
			if err != nil {
				return rest.Raw{}, err
			}
			return rest.OneFeature(fieldFeature(record))
		},
	}
}

// BoundaryVersion is a boundary that a field has, or has had.
type BoundaryVersion struct {
	ID        int64          `json:"id" doc:"Id of the version, as profile orders name it."`
	Field     int64          `json:"field" doc:"Id of the field: this one, or one that it was made from by a split or a merge."`
	Boundary  member.Outline `json:"boundary" doc:"GeoJSON MultiPolygon."`
	AreaHa    float64        `json:"area_ha" doc:"Hectares on the ellipsoid, to four decimals."`
	ValidFrom time.Time      `json:"valid_from" doc:"The time from which the field has, or had, this boundary."`
	ValidTo   *time.Time     `json:"valid_to" doc:"null: it is in force."`
	ChangedBy *form.Ref      `json:"changed_by" doc:"Who changed the boundary to this; null where that user is gone."`
}

func registerBoundaries(a *rest.API, boundaries *farmapp.Boundaries) {
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "field/{id}/boundaries/", OperationID: "field_boundaries",
		Summary: "List the boundaries that a field has had", Tag: farmTag, Noun: "field", Keys: rest.KeyInQuery,
		Description: "Newest first. A change of the boundary starts a version; removing the boundary ends the last. Those of the fields that it was split from or merged from come after its own.",
		Permission:  access.Fields.View.For("boundaries"),
		Query: append(query.CursorParams(), rest.Param{Name: "share", Type: rest.Boolean,
			Description: "With true: for a field that another company shares."}),
	}, func(ctx context.Context, c *rest.Call, in struct {
		form.Shared
		rest.Values
		form.ByID
	}) (rest.Paginated[BoundaryVersion], error) {
		found, err := boundaries.List(ctx, c.Principal(), in.Share, in.ID, form.QueryOf(in.Page(), nil, in.Values))
		if err != nil {
			return rest.Paginated[BoundaryVersion]{}, err
		}
		return rest.Paginate(in.Page(), rest.Map(form.Listing(found), showBoundary))
	})
}

func showBoundary(v farm.BoundaryVersion) BoundaryVersion {
	return BoundaryVersion{
		v.ID, v.FieldID, geometryJSON(v.Boundary), geo.RoundHa(float64(v.AreaM2) / 10_000), v.ValidFrom, v.ValidTo, form.Pointed(v.ChangedBy, form.RefOf),
	}
}
