package soil

import (
	"context"
	"io"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/link"
	"tilth/core/stratification/sample"
)

// LinkedSample is what the holder of a label sees: what was taken and where, but not the results of the laboratory.
type LinkedSample struct {
	Label       string       `json:"label" doc:"The label on the bag."`
	Point       string       `json:"point" doc:"Id of the point in its plan."`
	Field       string       `json:"field" doc:"Name of the field."`
	Zone        int          `json:"zone" doc:"Zone in which the point was planned."`
	Role        string       `json:"role" enum:"sample,reserve" doc:"sample: to be taken. reserve: taken in place of one that cannot be."`
	Round       int64        `json:"round" doc:"Round of sampling, from 1."`
	DepthFrom   float64      `json:"depth_from_cm" doc:"Upper end of the depth interval, cm below the surface."`
	DepthTo     float64      `json:"depth_to_cm" doc:"Lower end of the depth interval, cm below the surface."`
	Status      string       `json:"status" enum:"planned,collected,analysed,missed" doc:"planned; collected: the soil is taken. analysed: the laboratory's result has arrived. missed: it could not be taken."`
	Planned     PlanPosition `json:"planned" doc:"Where it was planned."`
	CollectedAt *time.Time   `json:"collected_at" doc:"When it was taken; null: not yet."`
}

// LinkedPlan is what the holder of a field sheet sees.
type LinkedPlan struct {
	MapUUID string        `json:"map_uuid" format:"uuid" doc:"Uuid of the plan."`
	Fields  []string      `json:"fields" doc:"Names of the fields, as used by the points."`
	Round   int64         `json:"round" doc:"Round of sampling, from 1."`
	Points  []LinkedPoint `json:"points" doc:"In the order of the walk, reserve points last."`
}

// LinkedPoint is a point of the plan of a field sheet.
type LinkedPoint struct {
	ID      string           `json:"id" doc:"Id of the point in its plan."`
	Field   string           `json:"field" doc:"Name of the field."`
	Zone    int              `json:"zone" doc:"Zone in which the point was planned."`
	Role    string           `json:"role" enum:"sample,reserve" doc:"sample: to be taken. reserve: taken in place of one that cannot be."`
	Lon     float64          `json:"lon" doc:"Longitude, degrees (WGS 84)."`
	Lat     float64          `json:"lat" doc:"Latitude, degrees (WGS 84)."`
	Samples []LabelledSample `json:"samples" doc:"Samples of the round of the sheet, the uppermost first; empty where none is planned."`
}

// LabelledSample is a sample of a point.
type LabelledSample struct {
	Label     string  `json:"label" doc:"The label on the bag."`
	DepthFrom float64 `json:"depth_from_cm" doc:"Upper end of the depth interval, cm below the surface."`
	DepthTo   float64 `json:"depth_to_cm" doc:"Lower end of the depth interval, cm below the surface."`
	Status    string  `json:"status" enum:"planned,collected,analysed,missed" doc:"planned; collected: the soil is taken. analysed: the laboratory's result has arrived. missed: it could not be taken."`
}

// Linked is what a printed code opens.
type Linked struct {
	Kind      string        `json:"kind" enum:"label,field_sheet" doc:"label: the label of a bag. field_sheet: the sheet of a plan."`
	Area      string        `json:"area" doc:"Name of the area of interest."`
	ExpiresAt time.Time     `json:"expires_at" doc:"The time from which the link no longer works."`
	Sample    *LinkedSample `json:"sample" doc:"For a label; otherwise null."`
	Plan      *LinkedPlan   `json:"plan" doc:"For a field sheet; otherwise null."`
}

func showLinked(o soil.Opened) Linked {
	out := Linked{Kind: string(o.Link.Kind), Area: o.Plan.AOI.Name, ExpiresAt: o.Link.ExpiresAt}
	if o.Link.Kind == link.Label {
		out.Sample = &LinkedSample{}
		*out.Sample = linkedSample(o.Samples[0])
		for _, p := range o.Plan.Plan.Points {
			if p.ID == o.Samples[0].Point {
				out.Sample.Field = o.Fields[p.Field]
			}
		}
		return out
	}
	samples := map[string][]LabelledSample{}
	for _, s := range o.Samples {
		samples[s.Point] = append(samples[s.Point], LabelledSample{s.Bag(), s.Depth.FromCm(), s.Depth.ToCm(), string(s.Status)})
	}
	out.Plan = &LinkedPlan{MapUUID: o.Plan.Plan.PlanUUID, Fields: o.Fields, Round: o.Link.Round}
	for _, p := range o.Plan.Plan.Points {
		out.Plan.Points = append(out.Plan.Points, LinkedPoint{
			ID: p.ID, Field: o.Fields[p.Field], Zone: p.Zone, Role: string(p.Role), Lon: p.LonLat.X, Lat: p.LonLat.Y,
			Samples: append([]LabelledSample{}, samples[p.ID]...),
		})
	}
	return out
}

func linkedSample(s sample.Sample) LinkedSample {
	out := LinkedSample{
		Label: s.Bag(), Point: s.Point, Zone: s.Zone, Role: string(s.Role), Round: s.Round, DepthFrom: s.Depth.FromCm(), DepthTo: s.Depth.ToCm(),
		Status: string(s.Status), Planned: PlanPosition{s.Planned.X, s.Planned.Y},
	}
	if s.Collected != nil {
		out.CollectedAt = &s.Collected.At
	}
	return out
}

// linkPolicy is the content policy of the page behind a code: it loads nothing from elsewhere, and sends nothing.
const linkPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const linkBase = "link/"

// registerLinks adds the routes that printed codes open, and the list of the links.
func registerLinks(a *rest.API, use *soil.Links) {
	a.DescribeCodes(map[string]string{"no_samples": "the plan has no samples in that round, and labels belong to samples (409)"})
	open := rest.Route{
		Method: http.MethodGet, Path: linkBase + "{token}/", OperationID: "link_open", Summary: "Open a printed code", Tag: stratificationTag, Noun: "link", Public: true,
		Description: "What the code on a label (24 months) or a field sheet (90 days) shows to whoever holds the paper: one sample, or one plan, read-only. As `text/html` (or with `?format=html`) it is a page for " +
			"a phone. A token that is unknown, forged, revoked or expired is 404. Tokens are neither logged nor stored.",
		Alternatives: []rest.Alternative{{Media: "text/html", Format: "html", Description: "A page for a phone.", Missing: true, Handle: func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			return pageOf(ctx, c, use)
		}}},
	}
	rest.Handle(a, open, func(ctx context.Context, c *rest.Call, in struct {
		Token string `path:"token"`
	}) (Linked, error) {
		guardLink(c)
		found, err := use.Open(ctx, in.Token)
		if err != nil {
			return Linked{}, err
		}
		return showLinked(found), nil
	})
	registerPlanLinks(a, use)
}

// guardLink keeps the address of a link, which is a credential, from the sites that the page links to and from search engines.
func guardLink(c *rest.Call) {
	c.SetHeader("Referrer-Policy", "no-referrer")
	c.SetHeader("X-Robots-Tag", "noindex")
}

// pageOf answers with the page of a code. If the code opens nothing, a page states that too.
func pageOf(ctx context.Context, c *rest.Call, use *soil.Links) (rest.Raw, error) {
	var opens *Linked
	found, err := use.Open(ctx, c.Param("token"))
	switch {
	case err == nil:
		opens = new(showLinked(found))
	case fault.Is(err, fault.NotFound):
		c.SetStatus(http.StatusNotFound)
	default:
		return rest.Raw{}, err
	}
	guardLink(c)
	c.SetHeader("Content-Security-Policy", linkPolicy)
	return rest.Raw{ContentType: "text/html; charset=utf-8", Write: func(w io.Writer) error {
		_, err := io.WriteString(w, string(LinkPage(opens)))
		return err
	}}, nil
}

// PlanLink is a link that was printed.
type PlanLink struct {
	ID        int64      `json:"id" doc:"Id of the link."`
	Kind      string     `json:"kind" enum:"label,field_sheet" doc:"label: on the bags of the samples. field_sheet: on the sheet of the plan."`
	PlanID    int64      `json:"plan_id" doc:"Id of the saved plan."`
	PlanUUID  string     `json:"plan_uuid" format:"uuid" doc:"map_uuid of the plan."`
	Round     int64      `json:"round" doc:"Round of sampling, from 1."`
	CreatedAt time.Time  `json:"created_at" doc:"When the record was made."`
	CreatedBy *form.Ref  `json:"created_by" doc:"Who made the record; null where that user is gone."`
	ExpiresAt time.Time  `json:"expires_at" doc:"The time from which the link no longer works."`
	RevokedAt *time.Time `json:"revoked_at" doc:"When it was withdrawn; null: it was not."`
}

func showPlanLink(l link.Link) PlanLink {
	return PlanLink{
		ID: l.ID, Kind: string(l.Kind), PlanID: l.PlanID, PlanUUID: l.PlanUUID, Round: l.Round, CreatedAt: l.CreatedAt,
		CreatedBy: form.Pointed(l.CreatedBy, form.RefOf), ExpiresAt: l.ExpiresAt, RevokedAt: l.RevokedAt,
	}
}

func registerPlanLinks(a *rest.API, use *soil.Links) {
	route := rest.Routes{Base: stratificationPath + "links/", Operation: "plan_link", Tag: stratificationTag, Noun: "link"}.Route
	kinds := form.Each(link.Kinds, func(k link.Kind) string { return string(k) })
	list := route(http.MethodGet, "", access.SamplePlans.View.For("list"), "List the links on labels and field sheets")
	list.Description = "One for each printing: what is printed again on the same day (UTC) has the same link. The tokens exist only on paper."
	form.HandleList(a, list, []rest.Param{
		form.IDsParam, farmOfAOI,
		{Name: "plan", Type: rest.Integer, Description: "Id of the plan."},
		{Name: "plan_uuid", Type: rest.UUID, Description: "map_uuid of the plan."},
		{Name: "kind", Type: rest.String, Enum: kinds, Description: "What it is printed on."},
	}, use.List, showPlanLink)
	revoke := route(http.MethodDelete, "{id}/", access.SamplePlans.Edit.For("destroy"), "Revoke a link")
	revoke.Status, revoke.Message = http.StatusNoContent, "Link revoked."
	revoke.Description = "The codes of that printing no longer open anything. What is printed afterwards has another link. A revoked link is 404."
	rest.Handle(a, revoke, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.NoContent, error) {
		return rest.NoContent{}, use.Revoke(ctx, c.Principal(), in.ID)
	})
	form.DeleteEach(a, route(http.MethodDelete, "", access.SamplePlans.Edit.For("destroy_many"), "Revoke links"), "links", use.Together, use.Revoke)
}
