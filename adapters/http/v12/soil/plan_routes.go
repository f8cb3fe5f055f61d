package soil

import (
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification/plan"
)

const (
	plansPath      = stratificationPath + "sample-plan/"
	savedPlansPath = plansPath + "sample-plan-saved-maps/"
)

// PlanOperation is one change of a plan by hand.
type PlanOperation struct {
	Operation string   `json:"op" enum:"move,add,delete,swap"`
	Point     *string  `json:"point" required:"false" doc:"Id of the point that is moved or deleted, or of the sample that is swapped."`
	With      *string  `json:"with" required:"false" doc:"Of a swap: id of the reserve."`
	Role      *string  `json:"role" required:"false" enum:"sample,reserve" doc:"Of a point that is added; sample where left out."`
	Lon       *float64 `json:"lon" required:"false" minimum:"-180" maximum:"180" doc:"Of a point that is moved or added."`
	Lat       *float64 `json:"lat" required:"false" minimum:"-90" maximum:"90"`
}

// ListedPoint is a point of a whole list.
type ListedPoint struct {
	ID   *string `json:"id" required:"false" doc:"Left out: a new point."`
	Role *string `json:"role" required:"false" enum:"sample,reserve"`
	PlanPosition
}

// PlanEdit changes a plan by hand.
type PlanEdit struct {
	Operations []PlanOperation `json:"operations" required:"false" maxItems:"1000"`
	Points     []ListedPoint   `json:"points" required:"false" maxItems:"10000" doc:"Or the whole list: points that are left out are deleted."`
}

func (e PlanEdit) edit() soil.PlanEdit {
	out := soil.PlanEdit{}
	for _, o := range e.Operations {
		op := plan.Operation{Change: plan.Change(o.Operation), Point: form.OrZero(o.Point), With: form.OrZero(o.With), Role: plan.Role(form.OrZero(o.Role))}
		op.At = PlanPosition{degrees(o.Lon), degrees(o.Lat)}.at()
		out.Operations = append(out.Operations, op)
	}
	if e.Points != nil {
		out.Points = []plan.Listed{}
	}
	for _, p := range e.Points {
		out.Points = append(out.Points, plan.Listed{ID: form.OrZero(p.ID), Role: plan.Role(form.OrZero(p.Role)), At: p.at()})
	}
	return out
}

// degrees returns a coordinate; one that is missing is none, which is refused where it is needed.
func degrees(v *float64) float64 {
	if v == nil {
		return 1e9
	}
	return *v
}

// PlanSave names a plan that is saved.
type PlanSave struct {
	Name    *string `json:"name" required:"false" doc:"Up to 255 characters; left out: the numbers of samples and zones."`
	PlanTag *string `json:"plan_tag" required:"false" doc:"1 to 50 of a-z, 0-9, dot, underscore and hyphen, unique within the order; left out: k3-n24-prop for 24 samples in three zones, proportionally."`
}

var planRoute = rest.Routes{Operation: "sample_plan", Tag: stratificationTag, Noun: "plan"}.Route

func registerPlans(a *rest.API, plans *soil.Plans) {
	a.DescribeCodes(map[string]string{
		"not_enough_room": "the points do not fit; details say by zone how much room there is (400)",
		"plan_saved":      "the plan is saved under another name or tag already (409)",
	})
	shown := func(ctx context.Context, c *rest.Call, p plan.SamplePlan, err error) (Plan, error) {
		if err != nil {
			return Plan{}, err
		}
		fields, err := plans.Fields(ctx, c.Principal(), p)
		return showPlan(p, fields), err
	}
	generate := planRoute(http.MethodPost, plansPath+"generate/", access.SamplePlans.Create.For("generate"), "Make a sample plan")
	generate.Description = "Says how many samples a map of zones needs, how many in each zone, and where. The same parameters, the seed among them, give the same plan."
	generate.Faults = []int{http.StatusNotFound}
	rest.Handle(a, generate, func(ctx context.Context, c *rest.Call, in rest.JSON[PlanWrite]) (Plan, error) {
		in.Body.MapUUID = strings.ToLower(in.Body.MapUUID)
		made, err := plans.Generate(ctx, c.Principal(), in.Body.request())
		return shown(ctx, c, made, err)
	})
	customise := planRoute(http.MethodPost, plansPath+"{map_uuid}/customise/", access.SamplePlans.Create.For("customise"), "Change a sample plan by hand")
	customise.Description = "Gives a new plan; the one it is based on stays. Points near an edge or each other are accepted with a warning; a plan whose points were moved or " +
		"added by hand is no probability sample any more, a swap with a reserve leaves it one."
	rest.Handle(a, customise, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.JSON[PlanEdit]
	}) (Plan, error) {
		made, err := plans.Customise(ctx, c.Principal(), in.MapUUID, in.Body.edit())
		return shown(ctx, c, made, err)
	})
	save := planRoute(http.MethodPost, plansPath+"{map_uuid}/save/", access.SamplePlans.Create.For("save"), "Save a sample plan")
	save.Description = "Saves its map of zones, too, where that was not. Saved plans do not change."
	save.Faults = []int{http.StatusConflict}
	rest.Handle(a, save, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.JSON[PlanSave]
	}) (SavedPlan, error) {
		saved, err := plans.Save(ctx, c.Principal(), in.MapUUID, strings.TrimSpace(form.OrZero(in.Body.Name)), form.OrZero(in.Body.PlanTag))
		return showSavedPlan(saved), err
	})
	registerSavedPlans(a, plans)
}

func registerSavedPlans(a *rest.API, plans *soil.Plans) {
	filters := []rest.Param{
		{Name: "order", Type: rest.Integer, Description: "Id of the stratification order."},
		{Name: "stratification_map", Type: rest.Integer, Description: "Id of the saved map of zones."},
		{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."},
		{Name: "map_tag", Type: rest.String, Description: "Tag of the map of zones."},
		{Name: "plan_tag", Type: rest.String, Description: "Tag of the plan."},
	}
	geometry := geometryParam
	geometry.Description = "Adds the points, as GeoJSON in WGS84."
	list := planRoute(http.MethodGet, savedPlansPath, access.SamplePlans.View.For("list"), "List saved sample plans")
	list.Query = append(append(rest.PageParams(), filters...), geometry)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		Geometry bool `query:"geometry"`
	}) (rest.List[SavedPlan], error) {
		query := form.QueryOf(in.PageOrAll(), filters, in.Values)
		return form.List(in.PageOrAll(), shownSavedPlan(in.Geometry))(plans.Saved(ctx, c.Principal(), query, in.Geometry))
	})
	retrieve := planRoute(http.MethodGet, savedPlansPath+"{id}/", access.SamplePlans.View.For("retrieve"), "Retrieve a saved sample plan")
	retrieve.Query = []rest.Param{geometry}
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in geometryByID) (SavedPlan, error) {
		found, err := plans.Retrieve(ctx, c.Principal(), in.ID, in.Geometry)
		return shownSavedPlan(in.Geometry)(found), err
	})
}

// shownSavedPlan returns how a saved plan is shown: with its outlines, or without.
func shownSavedPlan(geometry bool) func(plan.SamplePlan) SavedPlan {
	if geometry {
		return withPoints
	}
	return showSavedPlan
}
