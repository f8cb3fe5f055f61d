package soil

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// SampleCollection states how a sample was taken, in a body.
type SampleCollection struct {
	Lon       *float64   `json:"lon" required:"false" minimum:"-180" maximum:"180" doc:"Together with lat; both null: not measured, and taken to be the planned place."`
	Lat       *float64   `json:"lat" required:"false" minimum:"-90" maximum:"90" doc:"Together with lon; both null: not measured, and taken to be the planned place."`
	At        *time.Time `json:"at" required:"false" doc:"Left out: now."`
	By        *string    `json:"by" required:"false" maxLength:"255" doc:"Left out: your name."`
	AccuracyM *float64   `json:"accuracy_m" required:"false" minimum:"0" maximum:"1000" doc:"Accuracy of the place, in metres."`
}

// CollectedSample states how a sample was taken.
type CollectedSample struct {
	Lon       *float64  `json:"lon" doc:"Longitude, degrees (WGS 84); null: not measured."`
	Lat       *float64  `json:"lat" doc:"Latitude, degrees (WGS 84); null: not measured."`
	At        time.Time `json:"at" doc:"When it was taken."`
	By        string    `json:"by" doc:"Who took it."`
	AccuracyM *float64  `json:"accuracy_m" doc:"Accuracy of the place, in metres; null: not known."`
	MovedM    *float64  `json:"moved_m" doc:"Metres from the planned place, on the ellipsoid; null where the place was not measured."`
	Zone      *int      `json:"zone" doc:"The zone in which it was taken; null outside every zone."`
	OutOfZone bool      `json:"out_of_zone" doc:"Whether it was taken in another zone than it was planned for."`
}

// SampleLab is what a laboratory found.
type SampleLab struct {
	SOCPct             float64    `json:"soc_pct" minimum:"0" maximum:"100" doc:"Soil organic carbon, % of the mass of fine soil."`
	SOCLimitPct        *float64   `json:"soc_limit_pct" required:"false" minimum:"0" maximum:"100" doc:"The laboratory's limit of determination, where the result is below it; soc_pct is then half of it."`
	BulkDensity        *float64   `json:"bulk_density_g_cm3" required:"false" minimum:"0.05" maximum:"2.65" doc:"Bulk density of fine soil. Without it the sample has no stock."`
	CoarseFragmentsPct *float64   `json:"coarse_fragments_pct" required:"false" minimum:"0" maximum:"100" doc:"Coarse fragments, % of the volume; null counts as none."`
	Method             *string    `json:"method" required:"false" maxLength:"255" doc:"How the laboratory determined it, in its own words."`
	LabRef             *string    `json:"lab_ref" required:"false" maxLength:"255" doc:"The laboratory's number of the sample."`
	At                 *time.Time `json:"at" required:"false" doc:"When it was analysed."`
}

// SampleWrite is what the crew can change about a sample.
type SampleWrite struct {
	Status    *string           `json:"status" required:"false" enum:"planned,collected,analysed,missed" doc:"Left out, it follows from collected and lab."`
	Label     *string           `json:"label" required:"false" doc:"1 to 64 of A-Z, a-z, 0-9, dot, underscore, hyphen and slash; unique in your company."`
	Collected *SampleCollection `json:"collected" required:"false" doc:"It is sent as a whole. Null: it was not collected."`
	Lab       *SampleLab        `json:"lab" required:"false" doc:"It is sent as a whole. Null: it was not analysed."`
	Notes     *string           `json:"notes" required:"false" maxLength:"4000" doc:"Notes of the crew."`
	Composite *string           `json:"composite" required:"false" maxLength:"16" doc:"For a reserve that replaces a sample: the id of that sample's composite, as Z2-C1. Null: it is analysed by itself."`
	form.External
}

// Sample is soil from a point of a plan, in a depth interval.
type Sample struct {
	form.Meta
	Plan      PlanOfSample     `json:"plan" doc:"The plan that it belongs to."`
	AOI       OrderedAOI       `json:"aoi" doc:"The area of interest."`
	Round     int64            `json:"round" doc:"Round of sampling, from 1."`
	SampledOn *member.Date     `json:"sampled_on" doc:"The day of the round; null: not stated."`
	Point     string           `json:"point" doc:"Id of the point in its plan."`
	Zone      int              `json:"zone" doc:"Zone in which the point was planned."`
	Role      string           `json:"role" enum:"sample,reserve" doc:"sample: to be taken. reserve: taken in place of one that cannot be."`
	DepthFrom float64          `json:"depth_from_cm" doc:"Upper end of the depth interval, cm below the surface."`
	DepthTo   float64          `json:"depth_to_cm" doc:"Lower end of the depth interval, cm below the surface."`
	Status    string           `json:"status" enum:"planned,collected,analysed,missed" doc:"planned; collected: the soil is taken. analysed: the laboratory's result has arrived. missed: it could not be taken."`
	Label     string           `json:"label" doc:"The label on the bag; unique in the company."`
	Planned   PlanPosition     `json:"planned" doc:"Where it was planned."`
	Collected *CollectedSample `json:"collected" doc:"How it was taken; null: it was not."`
	Lab       *SampleLab       `json:"lab" doc:"What the laboratory found; null: nothing yet."`
	Notes     string           `json:"notes" doc:"Notes of the crew."`
	Composite *string          `json:"composite" doc:"Id of the composite that its soil goes to, as Z2-C1; null: it is analysed by itself."`
	form.External
	CompositeLabel *string `json:"composite_label" doc:"The label on the bag of the composite, under which the laboratory's result is imported."`
}

// PlanOfSample is the plan of a sample.
type PlanOfSample struct {
	ID      int64  `json:"id" doc:"Id of the saved plan."`
	MapUUID string `json:"map_uuid" format:"uuid" doc:"The plan's uuid."`
}

func showSample(s sample.Sample) Sample {
	return Sample{
		Meta: form.MetaOf(s.Meta), Plan: PlanOfSample{s.PlanID, s.PlanUUID}, AOI: OrderedAOI{s.AOI.ID, s.AOI.UUID, s.AOI.Name}, Round: s.Round, SampledOn: form.DateOf(s.SampledOn),
		Point: s.Point, Zone: s.Zone, Role: string(s.Role), DepthFrom: s.Depth.FromCm(), DepthTo: s.Depth.ToCm(),
		Status: string(s.Status), Label: s.Label, Planned: PlanPosition{s.Planned.X, s.Planned.Y}, Notes: s.Notes, External: form.ExternalOf(s.External), Composite: form.OrNull(s.Composite), CompositeLabel: form.OrNull(s.CompositeLabel()),
		Collected: form.Pointed(s.Collected, func(c sample.Collected) CollectedSample {
			lon, lat := lonLat(c.LonLat)
			return CollectedSample{lon, lat, c.At, c.By, c.AccuracyM, c.MovedM, form.OrNull(c.Zone), s.OutOfZone()}
		}),
		Lab: form.Pointed(s.Lab, func(l sample.Lab) SampleLab {
			return SampleLab{l.SOCPct, l.SOCLimitPct, l.BulkDensity, l.CoarseFragmentsPct, form.OrNull(l.Method), form.OrNull(l.Ref), l.At}
		}),
	}
}

// lonLat returns the degrees of an optional place.
func lonLat(p *geo.Position) (lon, lat *float64) {
	if p == nil {
		return nil, nil
	}
	return &p.X, &p.Y
}

func writeOfSample(s sample.Sample) SampleWrite {
	shown := showSample(s)
	collected := form.Pointed(shown.Collected, func(c CollectedSample) SampleCollection {
		return SampleCollection{c.Lon, c.Lat, &c.At, &c.By, c.AccuracyM}
	})
	return SampleWrite{&shown.Status, &s.Label, collected, shown.Lab, &s.Notes, shown.Composite, shown.External}
}

func applySample(in SampleWrite, onto *sample.Sample) {
	onto.Status, onto.Label, onto.Notes = sample.Status(form.OrZero(in.Status)), form.OrZero(in.Label), form.OrZero(in.Notes)
	onto.Composite, onto.External = form.OrZero(in.Composite), in.External.Record()
	onto.Collected = form.Pointed(in.Collected, func(c SampleCollection) sample.Collected {
		return sample.Collected{
			At: form.OrZero(c.At).UTC(), By: form.OrZero(c.By), AccuracyM: c.AccuracyM,
			LonLat: form.If(c.Lon != nil || c.Lat != nil, geo.Position{X: degrees(c.Lon), Y: degrees(c.Lat)}),
		}
	})
	onto.Lab = form.Pointed(in.Lab, func(l SampleLab) sample.Lab {
		return sample.Lab{
			SOCPct: l.SOCPct, SOCLimitPct: l.SOCLimitPct, BulkDensity: l.BulkDensity, CoarseFragmentsPct: l.CoarseFragmentsPct, Method: form.OrZero(l.Method), Ref: form.OrZero(l.LabRef), At: l.At,
		}
	})
}

func sampleFilters() []rest.Param {
	return form.WithExternalID([]rest.Param{
		form.IDsParam,
		{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."}, farmOfAOI,
		{Name: "plan", Type: rest.Integer, Description: "Id of the saved plan."},
		{Name: "plan_uuid", Type: rest.UUID, Description: "map_uuid of the plan."},
		{Name: "zone", Type: rest.Integer, Description: "Number of the zone."},
		{Name: "status", Type: rest.String, Enum: []string{"planned", "collected", "analysed", "missed"}, Description: "State of the sample."},
		{Name: "role", Type: rest.String, Enum: []string{"sample", "reserve", "legacy"}, Description: "Samples, the reserves for them, or legacy points."},
		{Name: "round", Type: rest.Integer, Description: "Round of sampling."},
		{Name: "point", Type: rest.String, Description: "Id of the point, as Z2-07."},
		{Name: "label", Type: rest.String, Description: "The label, exactly."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."},
	})
}

const samplesPath = stratificationPath + "samples/"

// SampleDepth is a depth interval.
type SampleDepth struct {
	From float64 `json:"from" minimum:"0" maximum:"300" doc:"cm below the surface, to a millimetre."`
	To   float64 `json:"to" minimum:"0" maximum:"300" doc:"cm below the surface, more than from."`
}

// SamplesWrite requests the samples of a plan.
type SamplesWrite struct {
	Plan      string        `json:"plan" format:"uuid" doc:"map_uuid of a saved plan."`
	Depths    []SampleDepth `json:"depths" minItems:"1" maxItems:"10" doc:"Depth intervals: one sample for each of them at every point."`
	Round     *int64        `json:"round" required:"false" minimum:"1" maximum:"100" doc:"Default 1; a later round takes the same points again."`
	SampledOn *member.Date  `json:"sampled_on" required:"false" doc:"The day of the round, also for existing samples: tables of results without dates use it. Left out, it does not change."`
}

// SamplesMade is the result of [SamplesWrite].
type SamplesMade struct {
	Plan      string       `json:"plan" format:"uuid" doc:"map_uuid of the plan."`
	Round     int64        `json:"round" doc:"Round of sampling, from 1."`
	SampledOn *member.Date `json:"sampled_on" doc:"The day of the round; null: not stated."`
	Created   int64        `json:"created" doc:"Samples that were made."`
	Existing  int64        `json:"existing" doc:"Samples that already existed; only the day of their round changes."`
}

var sampleRoute = rest.Routes{Operation: "sample", Tag: stratificationTag, Noun: "sample"}.Route

func registerSamples(a *rest.API, s *soil.Samples) {
	a.DescribeCodes(map[string]string{
		"plan_not_saved":      "samples belong to saved plans; save the plan first (409)",
		"plan_without_places": "the points of the plan have no longitude and latitude (409)",
		"sample_replaced":     "another sample has taken the place or the label of the deleted one (409)",
		"no_analyses":         "no sample of the plan is analysed in that round yet (409)",
		"other_zones":         "the two plans belong to different maps of zones, which cannot be compared (409)",
	})
	list := sampleRoute(http.MethodGet, samplesPath, access.Samples.View.For("list"), "List samples")
	filters := append(sampleFilters(), rest.Param{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."})
	list.Query = append(append(query.CursorParams(), form.ShareParam), filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in form.SharedList) (rest.List[Sample], error) {
		return form.List(in.PageOrAll(), showSample)(s.List(ctx, c.Principal(), in.Share, form.QueryOf(in.PageOrAll(), filters, in.Values)))
	})
	plan := sampleRoute(http.MethodPost, samplesPath, access.Samples.Create.For("plan"), "Make the samples of a plan")
	plan.Description = "Makes one planned sample for every point of a saved plan, including reserves, and depth interval. Existing samples stay, so the call may be " +
		"repeated, also with further depths. Every sample gets a label for printing, such as `P7-Z2-07-0-30`: plan, point, depth."
	plan.Faults, plan.Message = []int{http.StatusNotFound, http.StatusConflict}, "Samples planned."
	rest.Handle(a, plan, func(ctx context.Context, c *rest.Call, in rest.JSON[SamplesWrite]) (SamplesMade, error) {
		made, err := s.Plan(ctx, c.Principal(), soil.SampleRequest{
			Plan: strings.ToLower(in.Body.Plan), Round: form.Or(in.Body.Round, 1), Day: form.TimeOf(in.Body.SampledOn),
			Depths: form.Each(in.Body.Depths, func(d SampleDepth) sample.Depth { return sample.DepthOf(d.From, d.To) }),
		})
		return SamplesMade{made.PlanUUID, made.Round, form.DateOf(made.Day), made.Created, made.Existing}, err
	})
	retrieve := sampleRoute(http.MethodGet, samplesPath+"{id}/", access.Samples.View.For("retrieve"), "Retrieve a sample")
	retrieve.Query = []rest.Param{form.ShareParam}
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in form.SharedByID) (Sample, error) {
		found, err := s.Retrieve(ctx, c.Principal(), in.Share, in.ID)
		return showSample(found), err
	})
	patch := sampleRoute(http.MethodPatch, samplesPath+"{id}/", access.Samples.Edit.For("partial_update"), "Change a sample")
	patch.Faults, patch.Message = []int{http.StatusConflict, http.StatusPreconditionFailed}, "Sample updated."
	patch.Description = "For the crew in the field and the laboratory. The status is planned, then collected, then analysed, as `collected` and `lab` say; null withdraws them. " +
		"A sample that could not be taken is missed. How far it was moved from its planned place is measured on the ellipsoid."
	patch.Body = rest.Body[SampleWrite]()
	rest.Handle(a, patch, func(ctx context.Context, c *rest.Call, in form.ByID) (Sample, error) {
		changed, err := s.Update(ctx, c.Principal(), in.ID, drafted(c, showSample, writeOfSample, applySample))
		return showSample(changed), err
	})
	registerSampleSets(a, s)
	registerEstimate(a, s)
}

var sampleFormats = []string{ports.CSV, ports.XLSX, ports.GeoJSON}

func registerSampleFiles(a *rest.API, s *soil.SampleFiles) {
	export := sampleRoute(http.MethodGet, samplesPath+"export/", access.Samples.View.For("export"), "Export samples as a file")
	export.Description = "The samples that the list returns for the same filters: CSV or a workbook (`xlsx`), whose columns the import accepts, or GeoJSON with the place where each was taken, or otherwise planned (WGS84)."
	export.Query = append([]rest.Param{form.FormatParam(sampleFormats...)}, sampleFilters()...)
	export.Media = form.Media(sampleFormats...)
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.Formatted
	}) (rest.Raw, error) {
		format := in.Among(c, sampleFormats...)
		write, err := s.Export(ctx, c.Principal(), format, form.QueryOf(form.Whole, sampleFilters(), in.Values))
		return form.Download("samples", format, write), err
	})
	registerSampleImport(a, s)
	registerCrewImport(a, s)
	registerPhotos(a, s.Photos)
	registerEstimateFile(a, s)
}
