package storetest

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/adapters/identity"
	"tilth/app"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/ports"
)

// stagedEngine is the built-in engine, with something that happens before it answers.
type stagedEngine struct {
	engine.BuiltIn
	before func() error
	ref    ports.EngineReference
}

func (e *stagedEngine) Calculate(ctx context.Context, in ghg.Input, set string, o ghg.Options) (ghg.Result, ports.EngineReference, error) {
	if err := e.before(); err != nil {
		return ghg.Result{}, ports.EngineReference{}, err
	}
	result, _, err := e.BuiltIn.Calculate(ctx, in, set, o)
	return result, e.ref, err
}

func (e *stagedEngine) Engine(string) (ports.Engine, error) { return e, nil }
func (e *stagedEngine) Check(ports.EngineChoice) error      { return nil }

// outboxless is a store that fails before the last statements of a submission.
type outboxless struct{ ports.Store }

var errKilled = errors.New("killed")

type deadOutbox struct{}

func (deadOutbox) Add(context.Context, ...event.Event) error { return errKilled }

func (o outboxless) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return o.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		tx.Outbox = deadOutbox{}
		return do(ctx, tx)
	})
}

// testSubmitting checks that a submission is stored completely or not at all,
// whatever happens between the calculation and the end of the transaction.
func testSubmitting(t *testing.T, b Backend) {
	w := newWorld(t, b)
	mapping, err := engine.Mapping()
	require.NoError(t, err)
	table := assessment.NewTable(mapping)
	staged := &stagedEngine{before: func() error { return nil }, ref: ports.EngineReference{Account: "a", Assessment: "b", Run: "c"}}
	using := func(store ports.Store) *ghgapp.Assessments {
		return &ghgapp.Assessments{
			Deps: app.Deps{Store: store, Gate: app.NewGate(anyone{}, nil, nil), Clock: w.clock, IDs: identity.Random{}}, Table: table, Engines: staged, Log: slog.New(slog.DiscardHandler),
		}
	}
	use := using(w.Database)
	who := access.Principal{UserID: w.ours.user.ID, Name: w.ours.user.Name, CompanyID: w.ours.scope.Company()}
	year := 2024
	made, err := use.Create(w.ctx, who, ghgapp.AssessmentDraft{
		Record: assessment.Assessment{
			ResourceType: assessment.OfField, ResourceID: w.ours.field.ID, Year: &year, GrowingArea: map[string]any{"value": 10.0, "unit": "ha"},
			AverageTemperature: map[string]any{"value": 9.0, "unit": "C"}, ClimateRegion: "cool_temperate_moist", FarmCountry: "france", DataQuality: "all_actual_data",
		},
		Sections: map[string]any{
			"crop":            map[string]any{"crop_type": "winter_wheat", "harvested_yield": map[string]any{"value": 8.0, "unit": "t/ha"}},
			"soil":            map[string]any{"soil_class": "high_activity_clay"},
			"residues":        map[string]any{"management": []any{map[string]any{"practice": "left_on_field", "share_pct": 100.0}}},
			"land_management": map[string]any{"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
		},
		Declared: true, Declarations: map[string]any{"fertilizers": "none", "organic_inputs": "none", "crop_protection": "none", "irrigation": "none", "fuel_energy": "none"},
	})
	require.NoError(t, err)
	look := func() (assessment.Assessment, int64, int) {
		var versions int64
		got, err := use.Retrieve(w.ctx, who, false, made.ID)
		require.NoError(t, err)
		w.read(func(tx ports.Repos) error {
			versions, err = tx.AssessmentVersions.Count(w.ctx, w.ours.scope, made.ID)
			return err
		})
		var events int
		require.NoError(t, raw(t, w.address).QueryRow("SELECT COUNT(*) FROM outbox WHERE type = 'assessment_submitted'").Scan(&events))
		return got.Assessment, versions, events
	}
	soil := func(class string) {
		_, err := use.WriteSection(w.ctx, who, made.ID, "soil", false, func(ghgapp.Whole) (any, error) { return map[string]any{"soil_class": class}, nil })
		require.NoError(t, err)
	}

	// An engine that fails, and a failure before the commit, leave the draft as it was.
	staged.before = func() error { return fault.New(fault.Unavailable, "engine_unavailable", "The engine is away.") }
	_, err = use.Submit(w.ctx, who, made.ID)
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	record, versions, events := look()
	require.Equal(t, []any{assessment.Draft, assessment.Failed, "The engine is away.", int64(0), 0},
		[]any{record.Status, record.CalculationStatus, record.CalculationReason, versions, events})
	require.Equal(t, made.UpdatedAt, record.UpdatedAt, "nothing that was entered has changed")
	staged.before = func() error { return nil }
	_, err = using(outboxless{w.Database}).Submit(w.ctx, who, made.ID)
	require.ErrorIs(t, err, errKilled)
	after, versions, events := look()
	require.Equal(t, record, after)
	require.Equal(t, []any{int64(0), 0}, []any{versions, events})

	// What is written while the engine runs is what is submitted.
	changed := 0
	staged.before = func() error {
		if changed++; changed == 1 {
			soil("sandy")
		}
		return nil
	}
	done, err := use.Submit(w.ctx, who, made.ID)
	require.NoError(t, err)
	require.Equal(t, 2, changed)
	require.Contains(t, string(done.Version.Snapshot), `"class":"sandy"`)
	require.Equal(t, assessment.Done, done.Record.CalculationStatus)
	_, versions, events = look()
	require.Equal(t, []any{int64(1), 1}, []any{versions, events})
	w.operate(func(tx ports.OperatorRepos) error {
		refs, err := tx.Assessments.EngineReferences(w.ctx, w.ours.scope, made.ID, 1)
		require.Equal(t, staged.ref, refs.Reference)
		return err
	})

	// An assessment that is written during every run is given up, with a fault that says so.
	staged.before = func() error {
		changed++
		soil([]string{"sandy", "volcanic"}[changed%2])
		return nil
	}
	_, err = use.Submit(w.ctx, who, made.ID)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)

	// A field that is deleted while the engine runs keeps the assessment from being submitted.
	soil("spodic")
	staged.before = func() error {
		return w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			_, err := tx.Fields.SoftDelete(ctx, w.ours.scope, []int64{w.ours.field.ID}, w.clock.Now())
			return err
		})
	}
	_, err = use.Submit(w.ctx, who, made.ID)
	f, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, ghgapp.CodeNotSubmittable, f.Code)
	record, versions, _ = look()
	require.EqualValues(t, 1, versions)
	require.True(t, record.HasUnsubmittedChanges)

	// Each company has its own choice.
	w.operate(func(tx ports.OperatorRepos) error {
		for _, choice := range []ports.EngineChoice{{Engine: "x", FactorSet: "y"}, {FactorSet: "z"}} {
			require.NoError(t, tx.EngineChoices.Set(w.ctx, w.ours.scope, choice, w.clock.Now()))
			got, err := tx.EngineChoices.Get(w.ctx, w.ours.scope)
			require.NoError(t, err)
			require.Equal(t, choice, got)
		}
		got, err := tx.EngineChoices.Get(w.ctx, w.theirs.scope)
		require.Zero(t, got)
		return err
	})
}
