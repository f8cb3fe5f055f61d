package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/app"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/ports"
)

// assessing is the assessments of a planned world that are written and submitted. The engine answers, fails, refuses or
// hangs, and others write during its runs. What was submitted is a version, once, with everything that belongs to it,
// and no version contains what nobody had entered at that time.
type assessing struct {
	*planned
	use     *ghgapp.Assessments
	reports []assessed
	others  int64 // the assessment that somebody writes while the engine runs; 0: none
	runs    int
}

// assessed is an assessment and what the model knows about it.
type assessed struct {
	id       int64
	urea     int   // entered, in kg/ha
	versions []int // what each version contains
}

func newAssessing(p *planned, deps app.Deps, busy bool) *assessing {
	a := &assessing{planned: p}
	if !busy {
		return a
	}
	mapping, err := engine.Mapping()
	require.NoError(p.t, err)
	a.reports = make([]assessed, 3)
	a.use = &ghgapp.Assessments{Deps: deps, Table: assessment.NewTable(mapping), Engines: a, Log: slog.New(slog.DiscardHandler)}
	calm := *a.use
	calm.Deps = p.Deps()
	for i := range a.reports {
		made, err := calm.Create(p.t.Context(), p.owner, ghgapp.AssessmentDraft{
			Record: assessment.Assessment{
				ResourceType: assessment.OfField, ResourceID: p.fields[i].field.ID, Year: new(2025),
				GrowingArea:        map[string]any{"value": 10.0, "unit": "ha"},
				AverageTemperature: map[string]any{"value": 9.5, "unit": "celsius"},
				ClimateRegion:      "cool_temperate_moist", FarmCountry: "france", DataQuality: "all_actual_data",
			},
			Sections: map[string]any{
				"crop": map[string]any{"crop_type": "winter_wheat", "harvested_yield": map[string]any{"value": 8.0, "unit": "t/ha"}},
				"soil": map[string]any{"soil_class": "high_activity_clay"}, "fertilizers": urea(0),
			},
			Declared: true, Declarations: none("organic_inputs", "crop_protection", "residues", "irrigation", "fuel_energy", "land_management", "machinery", "transport", "seeds", "land_use_change", "perennial_biomass"),
		})
		require.NoError(p.t, err)
		a.reports[i].id = made.ID
	}
	return a
}

func urea(kgPerHa int) []any {
	return []any{map[string]any{"product": "urea", "production_region": "europe", "rate": map[string]any{"value": float64(kgPerHa), "unit": "kg/ha"}}}
}

func none(sections ...string) map[string]any {
	out := map[string]any{}
	for _, section := range sections {
		out[section] = assessment.DeclaredNone
	}
	return out
}

// Engine implements ports.Engines.
func (a *assessing) Engine(string) (ports.Engine, error) { return outside{a}, nil }

// Check implements ports.Engines.
func (a *assessing) Check(ports.EngineChoice) error { return nil }

// outside is an engine that somebody else runs.
type outside struct{ *assessing }

// ID implements ports.Engine.
func (outside) ID() string { return "outside" }

// Calculate implements ports.Engine.
func (o outside) Calculate(_ context.Context, in ghg.Input, _ string, _ ghg.Options) (ghg.Result, ports.EngineReference, error) {
	switch {
	case o.happens(0.1): // it hangs until its deadline
		time.Sleep(time.Minute)
		return ghg.Result{}, ports.EngineReference{}, context.DeadlineExceeded
	case o.happens(0.2):
		return ghg.Result{}, ports.EngineReference{}, fault.New(fault.Unavailable, "engine_unavailable", "The engine does not answer.").Because(errors.New("no route to host"))
	case o.happens(0.05):
		return ghg.Result{}, ports.EngineReference{}, fault.Field("fertilizers", "The engine refuses this.")
	case o.happens(0.2):
		o.intrude()
	}
	kg := in.Fertilizers[0].KgPerHa
	digest, err := in.Digest()
	o.runs++
	return ghg.Result{
		Engine: ghg.Identity{ID: "outside", Version: "1"}, FactorSet: ghg.Identity{ID: "theirs", Version: "1"}, InputDigest: digest, Emissions: kg,
	}, ports.EngineReference{Account: "1", Assessment: fmt.Sprintf("%g kg/ha", kg), Run: fmt.Sprint(o.runs)}, err
}

// intrude writes the assessment that is being calculated, on a disk that works.
func (a *assessing) intrude() {
	for i := range a.reports {
		if of := &a.reports[i]; of.id == a.others {
			calm := *a.use
			calm.Deps = a.Deps()
			kg := a.plan.IntN(3) * 100
			require.NoError(a.t, write(a.t.Context(), &calm, a.owner, of.id, kg))
			of.urea = kg
		}
	}
}

func write(ctx context.Context, use *ghgapp.Assessments, who access.Principal, id int64, kg int) error {
	_, err := use.Update(ctx, who, id, func(current ghgapp.Whole) (ghgapp.AssessmentDraft, error) {
		return ghgapp.AssessmentDraft{Record: current.Assessment, Sections: map[string]any{"fertilizers": urea(kg)}, Partial: true}, nil
	})
	return err
}

// write changes an assessment, and submit submits one.
func (a *assessing) write() {
	of, kg := &a.reports[a.plan.IntN(len(a.reports))], a.plan.IntN(3)*100
	status, _ := a.ask(func(ctx context.Context) (int64, error) { return 0, write(ctx, a.use, a.owner, of.id, kg) })
	require.Equal(a.t, 200, status)
	of.urea = kg
}

func (a *assessing) submit() {
	of := &a.reports[a.plan.IntN(len(a.reports))]
	a.others = of.id
	status, number := a.ask(func(ctx context.Context) (int64, error) {
		done, err := a.use.Submit(ctx, a.owner, of.id)
		return int64(done.Version.Number), err
	})
	a.others = 0
	if status == 200 {
		if n := len(of.versions); n == 0 || of.versions[n-1] != of.urea {
			of.versions = append(of.versions, of.urea)
		}
		require.EqualValues(a.t, len(of.versions), number, "what is a version already is not stored again")
		return
	}
	require.Equal(a.t, 409, status, "the engine refused, or others never stopped writing")
}

// judge compares the assessments with the model.
func (a *assessing) judge() {
	published, audited := map[string]int{}, map[int64]int{}
	for _, e := range a.Events {
		if done, ok := e.Data.(event.AssessmentSubmitted); ok {
			published[fmt.Sprint(done.Assessment, " ", done.Version)]++
		}
	}
	for _, e := range a.Trail {
		if e.Action == ghgapp.SubmitAction {
			audited[e.RecordID]++
		}
	}
	references, submitted := map[string]string{}, 0
	for _, r := range a.References {
		references[fmt.Sprint(r.AssessmentID, " ", r.Number)] = r.Reference.Assessment
	}
	for _, of := range a.reports {
		record, version := a.state(of)
		require.Equal(a.t, len(of.versions), record.SubmittedVersion)
		require.Equal(a.t, len(of.versions), audited[of.id])
		if n := len(of.versions); n > 0 {
			require.Equal(a.t, assessment.Submitted, record.Status)
			require.Equal(a.t, of.versions[n-1] != of.urea, record.HasUnsubmittedChanges)
			require.Contains(a.t, string(version.Entered), fmt.Sprintf(`"rate":{"unit":"kg/ha","value":%d}`, of.versions[n-1]))
		}
		for i, kg := range of.versions {
			key := fmt.Sprint(of.id, " ", i+1)
			require.Equal(a.t, 1, published[key], "a version is published once")
			require.Equal(a.t, fmt.Sprintf("%d kg/ha", kg), references[key], "the references are of the run whose result was kept")
		}
		submitted += len(of.versions)
	}
	require.Len(a.t, published, submitted, "nothing else was published")
	require.Len(a.t, references, submitted)
}

// verified ends the check of a crop, which is another use case.
func (a *assessing) verified(ctx context.Context, job ports.Job) error {
	return a.use.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Jobs.Finish(ctx, job) })
}

func (a *assessing) state(of assessed) (record assessment.Assessment, newest ports.AssessmentVersion) {
	a.Put(func(tx ports.Repos) (err error) {
		if record, err = tx.Assessments.Get(a.t.Context(), access.Own(1), of.id); err == nil && len(of.versions) > 0 {
			newest, err = tx.AssessmentVersions.Get(a.t.Context(), access.Own(1), of.id, len(of.versions))
		}
		return err
	})
	return record, newest
}

func (a *assessing) judgeEnd() {
	for _, of := range a.reports {
		record, _ := a.state(of)
		require.False(a.t, record.Stale(), "how complete it is was worked out after the last write")
	}
}
