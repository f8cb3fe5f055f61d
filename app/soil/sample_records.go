package soil

import (
	"context"

	"tilth/app"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// NewSampleRecords makes the use cases of samples as records; what is peculiar to them is in
// package sampling.
func NewSampleRecords(deps app.Deps) *farmapp.Records[sample.Sample] {
	return farmapp.NewRecords(deps, farmapp.Rules[sample.Sample]{
		Access:    access.Samples,
		Repo:      func(tx ports.Repos) ports.Records[sample.Sample] { return tx.SoilSamples },
		Meta:      func(r *sample.Sample) *record.Meta { return &r.Meta },
		Check:     (*sample.Sample).Check,
		Normalise: (*sample.Sample).Normalise,
		Relate:    relateSamples,
	})
}

// relateSamples refuses labels that another sample of the company has, and finds the zones in
// which samples were taken: one read of the outlines for each map of zones.
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
	zones := map[string][]zoning.Zone{}
	for i, r := range records {
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
		r.Collected.Zone = sample.ZoneAt(zones[r.MapUUID], *r.Collected.LonLat)
	}
	return out, nil
}
