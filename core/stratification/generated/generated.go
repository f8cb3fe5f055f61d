// Package generated records what is generated from an order: every call for maps and every plan, with its seed,
// parameters and outcome, whether it is saved or not. The audit trail keeps the records.
package generated

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"tilth/core/audit"
	"tilth/core/list"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// Action is the action under which the audit trail keeps the records of an order.
const Action audit.Action = "generate"

// The kinds of records.
const (
	Maps = "maps"
	Plan = "plan"
)

// Record is a call for maps, or a plan.
type Record struct {
	Kind    string   `json:"kind"`
	Made    []string `json:"made"`     // uuids: of the maps by ascending number of zones, or of the plan
	MapUUID string   `json:"map_uuid"` // of a plan: its map of zones
	BasedOn string   `json:"based_on"` // of a plan that was changed by hand: the plan it derives from

	Seed       int64       `json:"seed"`
	SeedSource seed.Source `json:"seed_source"`
	SeedPhrase string      `json:"seed_phrase"`
	SeedPulse  string      `json:"seed_pulse"`
	SeedValue  string      `json:"seed_value"`
	SeedText   string      `json:"seed_text"` // the text whose hash is the seed

	AlgorithmVersion string         `json:"algorithm_version"`
	Parameters       map[string]any `json:"parameters"` // without those that are empty or 0
	Outcome          map[string]any `json:"outcome"`
}

// Entry is a record with who made it and when.
type Entry struct {
	audit.Entry
	Record
	Saved []string // of Made, those that are saved
}

// OfMaps returns the record of a call that made maps or, for the given reason, none. prepared is the digest of
// the order's layers.
func OfMaps(run zoning.Run, made []*zoning.Map, reason, prepared string) Record {
	r := Record{Kind: Maps, AlgorithmVersion: zoning.AlgorithmVersion, Parameters: object(run.Params)}
	r.seeded(run.Params.Seed, run.Params.Origin)
	r.Parameters["layers"] = anys(run.Layers)
	var maps []any
	for _, m := range made {
		r.Made = append(r.Made, m.Candidate.MapUUID)
		maps = append(maps, map[string]any{
			"map_uuid": m.Candidate.MapUUID, "zones": int64(len(m.Candidate.Zones)), "is_recommended": m.Candidate.Recommended,
		})
	}
	r.Outcome = map[string]any{"layers_sha256": prepared}
	if maps != nil {
		r.Outcome["maps"] = maps
	}
	if reason != "" {
		r.Outcome["reason"] = reason
	}
	return r
}

// OfPlan returns the record of a plan.
func OfPlan(of plan.SamplePlan) Record {
	p := of.Plan
	r := Record{
		Kind: Plan, Made: []string{p.PlanUUID}, MapUUID: of.Map.Candidate.MapUUID, BasedOn: p.BasedOn,
		AlgorithmVersion: p.AlgorithmVersion, Parameters: object(p.Params),
	}
	r.seeded(p.Params.Seed, p.Params.Origin)
	if n := len(p.Params.Existing); n > 0 {
		r.Parameters["existing_points"] = int64(n)
	}
	if n := len(p.Params.Legacy); n > 0 {
		r.Parameters["legacy_points"] = int64(n)
	}
	byHand := 0
	for _, point := range p.Points {
		if point.ByHand {
			byHand++
		}
	}
	r.Outcome = map[string]any{
		"number_of_samples": int64(p.Samples), "number_of_reserve": int64(p.Reserves), "points_by_hand": int64(byHand),
		"expected_relative_error": p.ExpectedRelativeError, "probability_sample": p.ProbabilitySample, "points_sha256": Digest(p.Points),
	}
	if h := p.Hypercube; h != nil {
		r.Outcome["hypercube_objective"] = h.Objective
	}
	if s := p.Staged; s != nil {
		r.Outcome["draws"], r.Outcome["points_per_field"], r.Outcome["fields_drawn"] = int64(s.Draws), int64(s.Points), int64(s.DrawnFields())
	}
	return r
}

// Digest returns the SHA-256 of one line for each point of a plan, in plan order: id, easting and northing with
// two decimals, separated by spaces and ended by a line feed.
func Digest(points []plan.Point) string {
	h := sha256.New()
	for _, p := range points {
		_, _ = fmt.Fprintf(h, "%s %.2f %.2f\n", p.ID, p.At.X, p.At.Y) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r *Record) seeded(number uint64, o seed.Origin) {
	r.Seed, r.SeedSource, r.SeedPhrase, r.SeedPulse, r.SeedValue, r.SeedText = int64(number), o.Source, o.Phrase, o.Pulse, o.Value, o.Text
}

// Changes returns the record as the audit trail keeps it.
func (r Record) Changes() []audit.Change { return audit.Diff(nil, &r) }

// Of reads an entry of the audit trail. It fails if the entry is not a record.
func Of(e audit.Entry) (Entry, error) {
	members := map[string]any{}
	for _, c := range e.Changes {
		members[c.Member] = c.After
	}
	out := Entry{Entry: e}
	raw, err := json.Marshal(members)
	if err == nil {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		err = d.Decode(&out.Record)
	}
	if err != nil {
		return out, fmt.Errorf("entry %d of the audit trail is not a record of what was generated: %w", e.ID, err)
	}
	return out, nil
}

// object returns the members of parameters under the names of the trail.
func object[T any](of T) map[string]any {
	out := map[string]any{}
	for _, c := range audit.Diff(nil, &of) {
		out[c.Member] = c.After
	}
	return out
}

func anys(words []string) []any { return list.Map(words, func(w string) any { return w }) }
