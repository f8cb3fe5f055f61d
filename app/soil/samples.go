package soil

import (
	"context"
	"io"
	"reflect"
	"time"

	"tilth/app"
	"tilth/app/external"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// maxPlanned bounds the number of samples of one call.
const maxPlanned = 20_000

// Samples holds the use cases of samples.
type Samples struct {
	app.Deps
	Records *farmapp.Records[sample.Sample]
}

// List returns the samples of a query: the caller's own, or those shared with it.
func (s *Samples) List(ctx context.Context, who access.Principal, shared bool, q ports.Query) (app.List[sample.Sample], error) {
	return s.Records.List(ctx, who, shared, q)
}

// Retrieve returns a sample. Faults: NotFound.
func (s *Samples) Retrieve(ctx context.Context, who access.Principal, shared bool, id int64) (sample.Sample, error) {
	return s.Records.Retrieve(ctx, who, shared, id)
}

// Update changes a sample: decode is given the current sample and returns the new one. Unless it sets another status,
// the status follows from what became known about the sample. Faults: NotFound, Invalid, and those of decode.
func (s *Samples) Update(ctx context.Context, who access.Principal, id int64,
	decode func(current sample.Sample) (farmapp.Draft[sample.Sample], error),
) (sample.Sample, error) {
	return s.Records.Update(ctx, who, id, s.completed(who, decode))
}

// completed returns a change of a sample completed with what it leaves to the rules.
func (s *Samples) completed(who access.Principal, over func(current sample.Sample) (farmapp.Draft[sample.Sample], error)) func(current sample.Sample) (farmapp.Draft[sample.Sample], error) {
	return func(current sample.Sample) (farmapp.Draft[sample.Sample], error) {
		draft, err := over(current)
		if err == nil && !draft.Unread {
			s.complete(who, current, &draft.Record)
			pooledAlone(current, &draft)
		}
		return draft, err
	}
}

// pooledAlone refuses an individual result for a sample whose soil is in a composite.
func pooledAlone(current sample.Sample, draft *farmapp.Draft[sample.Sample]) {
	if after := &draft.Record; after.Composite != "" && after.Lab != nil && !reflect.DeepEqual(after.Lab, current.Lab) {
		draft.Errors.Addf("lab", "The soil of the sample is in a composite, whose result it has. Fix: import the result under the label %s.", after.CompositeLabel())
	}
}

// complete fills in what a change leaves to the rules: who took a sample, and when, and its state.
func (s *Samples) complete(who access.Principal, before sample.Sample, after *sample.Sample) {
	if c := after.Collected; c != nil {
		taken := *c
		if taken.By == "" && before.Collected == nil {
			taken.By = who.Name
		}
		if taken.At.IsZero() {
			taken.At = s.Clock.Now().UTC().Truncate(time.Second)
		}
		after.Collected = &taken
	}
	after.Advance(before)
}

// SampleRequest asks for the samples of a plan.
type SampleRequest struct {
	Plan   string // uuid of a saved plan
	Depths []sample.Depth
	Round  int64
	Day    *time.Time // of the round, for tables without dates; nil: as already stated
}

// PlannedSamples is the outcome of a request.
type PlannedSamples struct {
	PlanUUID string
	Round    int64
	Day      *time.Time
	Created  int64
	Existing int64 // existed before
}

// Plan makes the planned samples for a plan's points, including reserves, and for depth intervals; existing
// ones stay as they are. Faults: NotFound (the plan); Invalid; Conflict (plan_not_saved).
func (s *Samples) Plan(ctx context.Context, who access.Principal, req SampleRequest) (PlannedSamples, error) {
	out, err := app.Write(ctx, s.Deps, who, access.Samples.Create, func(ctx context.Context, tx ports.Repos) (PlannedSamples, error) {
		return s.plan(ctx, tx, who, req)
	})
	out.PlanUUID, out.Round = req.Plan, req.Round
	return out, err
}

func (s *Samples) plan(ctx context.Context, tx ports.Repos, who access.Principal, req SampleRequest) (PlannedSamples, error) {
	scope := who.Scope(false)
	// The plan is locked: calls for the same plan wait for one another.
	if _, err := tx.SamplePlans.ByUUIDForUpdate(ctx, scope, req.Plan); err != nil {
		return PlannedSamples{}, err
	}
	plan, err := tx.SamplePlans.ByUUID(ctx, scope, req.Plan, true)
	if err != nil {
		return PlannedSamples{}, err
	}
	f := sample.CheckDepths(req.Depths)
	f.Merge(sample.CheckDay("sampled_on", req.Day))
	if req.Round < 1 || req.Round > sample.MaxRound {
		f.Addf("round", "A whole number from 1 to %d.", sample.MaxRound)
	}
	if n := len(plan.Plan.Points) * len(req.Depths); n > maxPlanned {
		f.Addf("depths", "That is %d samples; at most %d are made at once.", n, maxPlanned)
	}
	if err := f.Err(); err != nil {
		return PlannedSamples{}, err
	}
	if plan.Saved == nil {
		return PlannedSamples{}, fault.New(fault.Conflict, "plan_not_saved", "Save the plan first: samples are taken at the points of plans that no longer change.")
	}
	there, err := tx.SoilSamples.OfPlan(ctx, scope, plan.ID, req.Round)
	if err != nil {
		return PlannedSamples{}, err
	}
	if req.Day == nil && len(there) > 0 {
		req.Day = there[0].SampledOn
	}
	wanted, err := sample.OfPlan(plan, req.Depths, req.Round, req.Day)
	if err != nil {
		return PlannedSamples{}, err
	}
	return s.create(ctx, tx, who, wanted, there)
}

// samplePlace distinguishes the samples of a plan in a round.
type samplePlace struct {
	point string
	depth sample.Depth
}

// create stores the wanted samples that do not exist, and the day of the round in those that do.
func (s *Samples) create(ctx context.Context, tx ports.Repos, who access.Principal, wanted []*sample.Sample, there []sample.Sample) (PlannedSamples, error) {
	known := map[samplePlace]bool{}
	var changes []farmapp.Change[sample.Sample]
	day := wanted[0].SampledOn
	for _, t := range there {
		known[samplePlace{t.Point, t.Depth}] = true
		if day != nil && (t.SampledOn == nil || !t.SampledOn.Equal(*day)) {
			dated := t
			dated.SampledOn = day
			changes = append(changes, farmapp.Change[sample.Sample]{Before: &t, After: dated})
		}
	}
	before := len(changes)
	for _, w := range wanted {
		if !known[samplePlace{w.Point, w.Depth}] {
			changes = append(changes, farmapp.Change[sample.Sample]{After: *w})
		}
	}
	settled, err := s.Records.Settle(ctx, tx, who, changes, nil, false)
	if err != nil {
		return PlannedSamples{}, err
	}
	for _, made := range settled {
		if err := made.Errors.Err(); err != nil {
			return PlannedSamples{}, err // another sample was given this label
		}
	}
	made := len(changes) - before
	return PlannedSamples{Day: day, Created: int64(made), Existing: int64(len(wanted) - made)}, nil
}

// NewSampleRecords makes the use cases of samples as records; what is specific to samples is in [Samples].
func NewSampleRecords(deps app.Deps) *farmapp.Records[sample.Sample] {
	return farmapp.NewRecords(deps, farmapp.Rules[sample.Sample]{
		Access:    access.Samples,
		Repo:      func(tx ports.Repos) ports.Records[sample.Sample] { return tx.SoilSamples },
		Meta:      func(r *sample.Sample) *record.Meta { return &r.Meta },
		Check:     (*sample.Sample).Check,
		Normalise: (*sample.Sample).Normalise,
		Relate:    relateSamples,
		Return:    placeFree,
		Same:      &farmapp.Same[sample.Sample]{Member: external.Member, Key: external.Key[sample.Sample], Find: sameSample},
	})
}

// relateSamples refuses labels that another sample of the company has, and finds the zones in which
// samples were taken: one read of the outlines for each map of zones.
func relateSamples(ctx context.Context, tx ports.Repos, scope access.Scope, records []*sample.Sample) ([]fault.Fields, error) {
	out := make([]fault.Fields, len(records))
	labels, times := make([]string, len(records)), map[string]int{}
	for i, r := range records {
		out[i], labels[i] = fault.Fields{}, r.Label
		times[r.Label]++
	}
	found, err := tx.SoilSamples.ByLabels(ctx, scope, labels)
	if err != nil {
		return nil, err
	}
	zones, pooled := map[string][]zoning.Zone{}, map[string]int{}
	for i, r := range records {
		if r.Composite != "" {
			if _, ok := pooled[r.PlanUUID]; !ok {
				of, err := tx.SamplePlans.ByUUID(ctx, scope, r.PlanUUID, false)
				if err != nil {
					return nil, err
				}
				pooled[r.PlanUUID] = of.Plan.Params.CompositesPerZone
			}
			if wrong := r.CheckComposite(pooled[r.PlanUUID]); wrong != "" {
				out[i].Add("composite", wrong)
			}
		}
		if other, ok := found[r.Label]; ok && other.ID != r.ID || times[r.Label] > 1 {
			out[i].Addf("label", "Another sample of your company has the label %q.", r.Label)
		}
		if r.Collected == nil || r.Collected.LonLat == nil {
			continue
		}
		if _, ok := zones[r.MapUUID]; !ok {
			of, err := tx.StratificationMaps.ByUUID(ctx, scope, r.MapUUID, true)
			if err != nil {
				return nil, err
			}
			zones[r.MapUUID] = of.Candidate.Zones
		}
		r.Collected.Zone = r.ZoneTaken(zones[r.MapUUID])
	}
	return out, nil
}

// SampleFiles holds the use cases that take and return files of samples.
type SampleFiles struct {
	Samples  *Samples
	Tables   ports.SampleTables
	Packages ports.CrewPackages
	Photos   *Photos
	Objects  ports.Objects
}

// Import changes samples by the labels in a file, as [Samples.Import] does; open is called once it
// is clear that the caller may import.
func (f *SampleFiles) Import(ctx context.Context, who access.Principal, options SampleImportOptions, open func() (io.Reader, error)) (ImportedSamples, error) {
	return f.Samples.Import(ctx, who, options, func() (labtable.Table, error) {
		file, err := open()
		if err != nil {
			return labtable.Table{}, err
		}
		return f.Tables.Read(file, ports.SampleTableOptions{MaxRows: MaxSampleRows, Sheet: options.Sheet, SOCLimitPct: options.SOCLimitPct})
	})
}

// Estimate returns a function that writes an estimate as CSV or XLSX. Faults: those of [Samples.Estimate].
func (f *SampleFiles) Estimate(ctx context.Context, who access.Principal, format string, req EstimateRequest) (func(to io.Writer) error, error) {
	found, err := f.Samples.Estimate(ctx, who, req)
	return func(to io.Writer) error { return f.Tables.WriteEstimate(to, format, found.Report) }, err
}

// Export returns a function that writes the samples of a query as CSV, XLSX or GeoJSON.
func (f *SampleFiles) Export(ctx context.Context, who access.Principal, format string, q ports.Query) (func(to io.Writer) error, error) {
	found, err := f.Samples.List(ctx, who, false, q)
	return func(to io.Writer) error { return f.Tables.Write(to, format, found.Each) }, err
}
