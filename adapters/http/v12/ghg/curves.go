package ghg

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/external"
	cropcheckapp "tilth/app/ghg/cropcheck"
	"tilth/core/access"
	"tilth/core/cropcheck"
)

// CropCurves are reference curves made from a company's own labelled fields.
type CropCurves struct {
	ID         *int64           `json:"id" doc:"Id of the curves, as evidence names them (region own); null for a preview."`
	InForce    bool             `json:"in_force" doc:"Whether they are in force: the newest that were not removed."`
	Labelled   int              `json:"labelled" doc:"Seasons of fields that the curves are made from."`
	LeftOut    map[string]int   `json:"left_out" doc:"Seasons with cultivations that were not used, by reason: several_crops, season_not_over, no_active_profile, too_few_points, no_boundary, beyond_the_limit."`
	YearStarts string           `json:"year_starts" doc:"First day of the growing year, as month-day." example:"09-14"`
	BBox       []float64        `json:"bbox" doc:"West, south, east, north, degrees: where they are used, the labelled fields and half a degree around."`
	BlockDeg   float64          `json:"block_degrees" doc:"The side of the blocks of land that are kept apart for the figures."`
	Classes    []CropCurveClass `json:"classes" doc:"A curve for each crop with labelled seasons."`
	CreatedAt  time.Time        `json:"created_at" doc:"When the record was made."`
	CreatedBy  *form.Ref        `json:"created_by" doc:"Who made the record; null where that user is gone, and for a preview."`
}

// CropCurveClass is a crop's curve with its cap, and how the curves perform on blocks that they are not made from.
type CropCurveClass struct {
	Class       string          `json:"class" doc:"Slug of the crop."`
	MaxDistance *float64        `json:"max_distance" doc:"The cap. null: too few labelled seasons, so the curve verifies nothing."`
	MaxShape    *float64        `json:"max_shape" doc:"The cap of shape: the distance after the means of series and curve are subtracted. null: as with max_distance."`
	Figures     CropCurveFigure `json:"figures" doc:"How the curves perform on blocks of land that they are not made from."`
	Steps       []CropCurveStep `json:"steps" doc:"The curve over the growing year, in the order of days."`
}

// CropCurveFigure has the verdicts on labelled seasons by curves made from the other blocks of land, as shares from 0 to 1.
type CropCurveFigure struct {
	Samples  int     `json:"samples" doc:"Labelled seasons that were judged."`
	Nearest  float64 `json:"nearest" doc:"Share whose nearest curve is that of the crop."`
	Verified float64 `json:"verified" doc:"Share verified when declared as the right crop."`
	Pending  float64 `json:"pending" doc:"Share pending when declared as the right crop."`
	Beyond   float64 `json:"beyond_cap" doc:"Share beyond the cap when declared as the right crop."`
	False    float64 `json:"false_verified" doc:"Share of other crops verified when declared as this one."`
	None     float64 `json:"none_without_curve" doc:"Share that resembles none when there is no curve for the crop."`
}

// CropCurveStep is one point of a curve.
type CropCurveStep struct {
	Day     int     `json:"day" doc:"Days since the beginning of the growing year."`
	NDVI    float64 `json:"ndvi" doc:"Median."`
	P25     float64 `json:"ndvi_p25" doc:"Lower quartile."`
	P75     float64 `json:"ndvi_p75" doc:"Upper quartile."`
	Samples int     `json:"n" doc:"Labelled seasons at this day."`
}

func registerCurves(a *rest.API, use *cropcheckapp.Curves) {
	a.DescribeCodes(map[string]string{
		"too_few_labelled":  "no crop has enough labelled seasons for a curve with a cap (400)",
		"too_many_labelled": "labelled seasons and crops are too many for one request (400)",
	})
	route := rest.Routes{Base: "ghg/crop-curves/", Operation: "crop_curves", Tag: "Assessments", Noun: "curves"}.Route
	list := route(http.MethodGet, "", access.ViewCropCurves.For("list"), "The company's own reference curves")
	list.Description = fmt.Sprintf("The newest first, at most %d.", cropcheckapp.MaxOwnCurves)
	list.Query = []rest.Param{form.IDsParam}
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in struct {
		IDs []int64 `query:"id"`
	},
	) ([]CropCurves, error) {
		found, err := use.List(ctx, c.Principal())
		chosen := external.Among(found, external.Chosen{IDs: in.IDs}, func(o cropcheck.Own) int64 { return o.ID })
		return form.Each(chosen, func(o cropcheck.Own) CropCurves {
			out := showCurves(o)
			out.InForce = o.ID == found[0].ID
			return out
		}), err
	})
	create := route(http.MethodPost, "", access.MakeCropCurves.For("create"), "Make reference curves from the company's own fields")
	create.Description = fmt.Sprintf("From each season that has ended, for which one crop is entered on the field and a profile is active: the crop labels the "+
		"profile. The answer says how the curves perform on blocks of land that they are not made from. From then on they are in force for the company's crop "+
		"verification, ahead of those of its region; up to %d seasons count. If no crop has at least %d: 400 (`too_few_labelled`).",
		cropcheck.MaxOwnSamples, cropcheck.MinCapped)
	create.Query = []rest.Param{{Name: "preview", Type: rest.Boolean, Description: "With true: answers the curves and their figures, and stores nothing."}}
	create.Message, create.Faults = "Curves made.", []int{http.StatusBadRequest}
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in struct {
		Preview bool `query:"preview"`
	}) (CropCurves, error) {
		made, err := use.Make(ctx, c.Principal(), in.Preview)
		out := showCurves(made)
		out.InForce = err == nil && !in.Preview
		return out, err
	})
	remove := route(http.MethodDelete, "{id}/", access.MakeCropCurves.For("destroy"), "Remove the company's own curves")
	remove.Status = http.StatusNoContent
	remove.Description = "Those made before them are in force again, or else those of the region. Existing verdicts do not change."
	rest.Handle(a, remove, form.Remove(use.Remove))
	form.DeleteEach(a, route(http.MethodDelete, "", access.MakeCropCurves.For("destroy_many"), "Remove several of the company's own curves"), "curves", use.Together, use.Remove)
}

func showCurves(o cropcheck.Own) CropCurves {
	out := CropCurves{
		ID: form.OrNull(o.ID), LeftOut: o.LeftOut, YearStarts: fmt.Sprintf("%02d-%02d", o.Set.Year.Month, o.Set.Year.Day), BlockDeg: o.Figures.BlockDegrees,
		Classes: []CropCurveClass{}, CreatedAt: o.CreatedAt, CreatedBy: form.Pointed(o.CreatedBy, form.RefOf),
	}
	if out.LeftOut == nil {
		out.LeftOut = map[string]int{}
	}
	if x := o.Set.Extent; x != nil {
		out.BBox = []float64{x.West, x.South, x.East, x.North}
	}
	for i, c := range o.Set.Curves {
		class := CropCurveClass{Class: c.Class, Steps: form.Each(c.Steps, func(s cropcheck.Step) CropCurveStep {
			return CropCurveStep{s.Day, s.NDVI, s.P25, s.P75, s.N}
		})}
		if c.CapNDVI != nil {
			class.MaxDistance, class.MaxShape = &c.CapNDVI.Distance, &c.CapNDVI.Shape
		}
		if i < len(o.Figures.Classes) {
			class.Figures = showFigures(o.Figures.Classes[i])
			out.Labelled += class.Figures.Samples
		}
		out.Classes = append(out.Classes, class)
	}
	return out
}

func showFigures(f cropcheck.ClassFigures) CropCurveFigure {
	of := func(n int) float64 { return cropcheck.Share(n, f.Samples) }
	return CropCurveFigure{f.Samples, of(f.Nearest), of(f.Verified), of(f.Pending), of(f.Beyond), cropcheck.Share(f.FalseVerified, f.Others), of(f.Rejected)}
}
