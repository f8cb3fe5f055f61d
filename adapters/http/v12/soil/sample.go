package soil

import (
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/core/geo"
	"tilth/core/stratification/sample"
)

// SampleCollection is how a sample was taken, as it is written.
type SampleCollection struct {
	Lon       *float64   `json:"lon" required:"false" minimum:"-180" maximum:"180" doc:"With lat; both null: not measured, and taken to be the planned place."`
	Lat       *float64   `json:"lat" required:"false" minimum:"-90" maximum:"90"`
	At        *time.Time `json:"at" required:"false" doc:"Left out: now."`
	By        *string    `json:"by" required:"false" maxLength:"255" doc:"Left out: your name."`
	AccuracyM *float64   `json:"accuracy_m" required:"false" minimum:"0" maximum:"1000" doc:"Of the place, in metres."`
}

// CollectedSample is how a sample was taken.
type CollectedSample struct {
	Lon       *float64  `json:"lon"`
	Lat       *float64  `json:"lat"`
	At        time.Time `json:"at"`
	By        string    `json:"by"`
	AccuracyM *float64  `json:"accuracy_m"`
	MovedM    *float64  `json:"moved_m" doc:"Metres from the planned place, on the ellipsoid; null where the place was not measured."`
	Zone      *int      `json:"zone" doc:"The zone in which it was taken; null outside every zone."`
	OutOfZone bool      `json:"out_of_zone" doc:"Taken in another zone than it was planned for."`
}

// SampleLab is what a laboratory found.
type SampleLab struct {
	SOCPct             float64    `json:"soc_pct" minimum:"0" maximum:"100" doc:"Soil organic carbon, % of the mass of fine soil."`
	BulkDensity        *float64   `json:"bulk_density_g_cm3" required:"false" minimum:"0.05" maximum:"2.65" doc:"Of fine soil. Without it the sample has no stock."`
	CoarseFragmentsPct *float64   `json:"coarse_fragments_pct" required:"false" minimum:"0" maximum:"100" doc:"% of the volume; null counts as none."`
	Method             *string    `json:"method" required:"false" maxLength:"255"`
	LabRef             *string    `json:"lab_ref" required:"false" maxLength:"255" doc:"The laboratory's number of the sample."`
	At                 *time.Time `json:"at" required:"false" doc:"When it was analysed."`
}

// SampleWrite is what the crew changes of a sample.
type SampleWrite struct {
	Status    *string           `json:"status" required:"false" enum:"planned,collected,analysed,missed" doc:"Left out, it follows from collected and lab."`
	Label     *string           `json:"label" required:"false" doc:"1 to 64 of A-Z, a-z, 0-9, dot, underscore, hyphen and slash; unique in your company."`
	Collected *SampleCollection `json:"collected" required:"false" doc:"Sent whole. Null: it was not collected."`
	Lab       *SampleLab        `json:"lab" required:"false" doc:"Sent whole. Null: it was not analysed."`
	Notes     *string           `json:"notes" required:"false" maxLength:"4000"`
}

// Sample is soil from a point of a plan and a depth interval.
type Sample struct {
	form.Meta
	Plan      PlanOfSample     `json:"plan"`
	AOI       OrderedAOI       `json:"aoi"`
	Round     int64            `json:"round"`
	Point     string           `json:"point"`
	Zone      int              `json:"zone" doc:"In which the point was planned."`
	Role      string           `json:"role" enum:"sample,reserve"`
	DepthFrom float64          `json:"depth_from_cm"`
	DepthTo   float64          `json:"depth_to_cm"`
	Status    string           `json:"status" enum:"planned,collected,analysed,missed"`
	Label     string           `json:"label"`
	Planned   PlanPosition     `json:"planned"`
	Collected *CollectedSample `json:"collected"`
	Lab       *SampleLab       `json:"lab"`
	Notes     string           `json:"notes"`
}

// PlanOfSample is the plan of a sample.
type PlanOfSample struct {
	ID      int64  `json:"id"`
	MapUUID string `json:"map_uuid" format:"uuid"`
}

func showSample(s sample.Sample) Sample {
	out := Sample{
		Meta: form.MetaOf(s.Meta), Plan: PlanOfSample{s.PlanID, s.PlanUUID}, AOI: OrderedAOI{s.AOI.ID, s.AOI.UUID, s.AOI.Name}, Round: s.Round,
		Point: s.Point, Zone: s.Zone, Role: string(s.Role), DepthFrom: s.Depth.FromCm(), DepthTo: s.Depth.ToCm(),
		Status: string(s.Status), Label: s.Label, Planned: PlanPosition{s.Planned.X, s.Planned.Y}, Lab: showLab(s.Lab), Notes: s.Notes,
	}
	if c := s.Collected; c != nil {
		out.Collected = &CollectedSample{At: c.At, By: c.By, Zone: form.OrNull(c.Zone), AccuracyM: c.AccuracyM, MovedM: c.MovedM, OutOfZone: s.OutOfZone()}
		if c.LonLat != nil {
			out.Collected.Lon, out.Collected.Lat = &c.LonLat.X, &c.LonLat.Y
		}
	}
	return out
}

func showLab(l *sample.Lab) *SampleLab {
	if l == nil {
		return nil
	}
	return &SampleLab{l.SOCPct, l.BulkDensity, l.CoarseFragmentsPct, form.OrNull(l.Method), form.OrNull(l.Ref), l.At}
}

// writeOfSample returns a sample as a body.
func writeOfSample(s sample.Sample) SampleWrite {
	status := string(s.Status)
	out := SampleWrite{Status: &status, Label: &s.Label, Lab: showLab(s.Lab), Notes: &s.Notes}
	if c := showSample(s).Collected; c != nil {
		out.Collected = &SampleCollection{c.Lon, c.Lat, &c.At, &c.By, c.AccuracyM}
	}
	return out
}

// applySample applies a body to a sample.
func applySample(in SampleWrite, onto *sample.Sample) {
	onto.Status, onto.Label, onto.Notes = sample.Status(form.OrZero(in.Status)), form.OrZero(in.Label), form.OrZero(in.Notes)
	onto.Collected, onto.Lab = nil, nil
	if c := in.Collected; c != nil {
		taken := &sample.Collected{By: form.OrZero(c.By), AccuracyM: c.AccuracyM}
		if c.At != nil {
			taken.At = c.At.UTC()
		}
		if c.Lon != nil || c.Lat != nil {
			taken.LonLat = &geo.Position{X: degrees(c.Lon), Y: degrees(c.Lat)}
		}
		onto.Collected = taken
	}
	if l := in.Lab; l != nil {
		onto.Lab = &sample.Lab{
			SOCPct: l.SOCPct, BulkDensity: l.BulkDensity, CoarseFragmentsPct: l.CoarseFragmentsPct, Method: form.OrZero(l.Method), Ref: form.OrZero(l.LabRef), At: l.At,
		}
	}
}

// sampleFilters are the filters of lists and exports of samples.
func sampleFilters() []rest.Param {
	return []rest.Param{
		{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."},
		{Name: "plan", Type: rest.Integer, Description: "Id of the saved plan."},
		{Name: "plan_uuid", Type: rest.UUID, Description: "Its map_uuid."},
		{Name: "zone", Type: rest.Integer, Description: "Number of the zone."},
		{Name: "status", Type: rest.String, Enum: []string{"planned", "collected", "analysed", "missed"}, Description: "State of the sample."},
		{Name: "role", Type: rest.String, Enum: []string{"sample", "reserve"}, Description: "Samples, or the reserves for them."},
		{Name: "round", Type: rest.Integer, Description: "Round of sampling."},
		{Name: "point", Type: rest.String, Description: "Id of the point, as Z2-07."},
		{Name: "label", Type: rest.String, Description: "The label, exactly."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."},
	}
}
