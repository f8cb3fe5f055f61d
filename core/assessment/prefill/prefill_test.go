package prefill_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/agronomy"
	"tilth/core/assessment"
	"tilth/core/assessment/prefill"
	"tilth/core/farm"
	"tilth/core/record"
)

// table is the real one, from the mapping the engine uses.
func table(t testing.TB) *assessment.Table {
	t.Helper()
	m, err := engine.Mapping()
	require.NoError(t, err)
	return assessment.NewTable(m)
}

func ptr[T any](v T) *T { return &v }

// grounds is a farm of two fields, 10 ha and 30 ha, both under wheat in 2024.
func grounds() prefill.Known {
	field := func(id int64, name string, ha float64) farm.Field {
		return farm.Field{Meta: record.Meta{ID: id}, Name: name, DeclaredAreaHa: &ha}
	}
	grown := func(id, field, crop int64) farm.Cultivation {
		return farm.Cultivation{Meta: record.Meta{ID: id}, Field: record.Ref{ID: field, Name: "F"}, Crop: record.Ref{ID: crop, Name: "Wheat"}, Season: record.Ref{ID: 1, Name: "2024"}}
	}
	return prefill.Known{
		Farm:   farm.Farm{Meta: record.Meta{ID: 5}, Name: "Farm", Country: "france"},
		Fields: []farm.Field{field(1, "Small", 10), field(2, "Large", 30)}, Cultivations: []farm.Cultivation{grown(11, 1, 100), grown(12, 2, 100)},
		Crops: map[int64]farm.Crop{100: {ID: 100, Name: "Wheat", GHGCropType: "winter_wheat"}, 200: {ID: 200, Name: "Maize", GHGCropType: "maize"}, 300: {ID: 300, Name: "Odd", GHGCropType: "odd"}},
	}
}

func applied(cultivation int64, product string, value float64, unit agronomy.Unit, changes ...func(*farm.Fertilization)) farm.Fertilization {
	f := farm.Fertilization{
		Meta: record.Meta{ID: 50 + cultivation}, Cultivation: record.Ref{ID: cultivation, Name: "Wheat"}, Product: product,
		Amount: &agronomy.Amount{Value: value, Unit: unit}, NutrientBasis: farm.BasisOxide,
	}
	for _, c := range changes {
		c(&f)
	}
	return f
}

func proposal(p prefill.Prefill, path string) *prefill.Proposal {
	for i := range p.Proposals {
		if p.Proposals[i].Path == path {
			return &p.Proposals[i]
		}
	}
	return nil
}

func empty() *assessment.Assessment {
	return &assessment.Assessment{ResourceType: assessment.OfFarm, ResourceID: 5, Year: ptr(2024)}
}

func TestPrefillOfAFarm(t *testing.T) {
	t.Parallel()
	tab, k := table(t), grounds()
	p := prefill.Propose(tab, empty(), assessment.Sheet{}, k)
	require.Empty(t, p.Questions)
	require.Equal(t, "france", proposal(p, "farm_country").Proposed)
	require.Equal(t, map[string]any{"value": 40.0, "unit": "ha"}, proposal(p, "growing_area").Proposed)
	require.Equal(t, "winter_wheat", proposal(p, "crop.crop_type").Proposed)
	require.Nil(t, proposal(p, "section_declarations.irrigation"), "nothing is said of irrigation")

	k.Fields[0].Irrigated, k.Fields[1].Irrigated = ptr(false), ptr(false)
	require.Equal(t, "none", proposal(prefill.Propose(tab, empty(), assessment.Sheet{}, k), "section_declarations.irrigation").Proposed)
	k.Fields[1].Irrigated = ptr(true)
	p = prefill.Propose(tab, empty(), assessment.Sheet{}, k)
	require.Nil(t, proposal(p, "section_declarations.irrigation"))
	require.Equal(t, "irrigated", p.Notes[0].Code)

	k.Fields[0].DeclaredAreaHa = nil
	p = prefill.Propose(tab, empty(), assessment.Sheet{}, k)
	require.Nil(t, proposal(p, "growing_area"), "an area that is not whole is none")
}

func TestPrefillAsksWhichCrop(t *testing.T) {
	t.Parallel()
	tab, k := table(t), grounds()
	k.Cultivations[1].Crop = record.Ref{ID: 200, Name: "Maize"}
	k.Fertilizations = []farm.Fertilization{applied(11, "urea", 100, agronomy.KgPerHa), applied(12, "can", 300, agronomy.KgPerHa)}
	p := prefill.Propose(tab, empty(), assessment.Sheet{}, k)
	require.Len(t, p.Questions, 1)
	require.Equal(t, []int64{100, 200}, []int64{p.Questions[0].Choices[0].CropID, p.Questions[0].Choices[1].CropID})
	require.Nil(t, proposal(p, "growing_area"))
	require.Nil(t, proposal(p, "fertilizers"))
	require.NotNil(t, proposal(p, "farm_country"), "what does not depend on the answer is proposed")

	entered := assessment.Sheet{"crop": {{Values: assessment.Values{"crop_type": "maize"}}}}
	for name, p := range map[string]prefill.Prefill{
		"the assessment says": prefill.Propose(tab, empty(), entered, k),
		"the caller says":     prefill.Propose(tab, empty(), assessment.Sheet{}, func() prefill.Known { k := k; k.CropID = 200; return k }()),
	} {
		require.Empty(t, p.Questions, name)
		require.Equal(t, 30.0, proposal(p, "growing_area").Proposed.(map[string]any)["value"], name)
		require.Equal(t, "can", proposal(p, "fertilizers").Proposed.([]any)[0].(map[string]any)["product"], name)
	}
	k.Cultivations[1].Crop = record.Ref{ID: 300, Name: "Odd"}
	k.Cultivations = k.Cultivations[1:]
	p = prefill.Propose(tab, empty(), assessment.Sheet{}, k)
	require.Nil(t, proposal(p, "crop.crop_type"))
	require.Equal(t, "no_crop_type", p.Notes[0].Code)
	k.Cultivations = nil
	require.Equal(t, "no_cultivations", prefill.Propose(tab, empty(), assessment.Sheet{}, k).Notes[0].Code)
}

// Amounts keep what they mean: per treated hectare with the treated share, or in all.
func TestPrefillOfApplications(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for name, c := range map[string]struct {
		of      farm.Fertilization
		section string
		want    map[string]any // nil: not taken over
	}{
		"a rate on one of two fields": {applied(11, "urea", 200, agronomy.KgPerHa), "fertilizers",
			map[string]any{"product": "urea", "rate": map[string]any{"value": 200.0, "unit": "kg/ha"}, "applied_area_pct": 25.0}},
		"on half of it": {applied(11, "urea", 200, agronomy.KgPerHa, func(f *farm.Fertilization) { f.TreatedAreaHa = ptr(5.0) }), "fertilizers",
			map[string]any{"product": "urea", "rate": map[string]any{"value": 200.0, "unit": "kg/ha"}, "applied_area_pct": 12.5}},
		"a total": {applied(11, "can", 3, agronomy.Tonne), "fertilizers",
			map[string]any{"product": "can", "rate": map[string]any{"value": 3.0, "unit": "t"}}},
		"a total volume": {applied(11, "uan", 2, agronomy.M3, func(f *farm.Fertilization) { f.DensityKgPerL = ptr(1.32) }), "fertilizers",
			map[string]any{"product": "uan", "rate": map[string]any{"value": 2640.0, "unit": "kg"}}},
		"gallons an acre": {applied(11, "uan", 10, agronomy.GalPerAcre, func(f *farm.Fertilization) { f.DensityKgPerL = ptr(1.32) }), "fertilizers",
			map[string]any{"product": "uan", "rate": map[string]any{"value": 93.5395623, "unit": "l/ha"}, "applied_area_pct": 25.0, "density_kg_l": 1.32}},
		"slurry is scaled to the growing area": {applied(12, "cattle_slurry", 20, agronomy.M3PerHa, func(f *farm.Fertilization) { f.DensityKgPerL = ptr(1.0) }), "organic_inputs",
			map[string]any{"type": "cattle_slurry", "rate": map[string]any{"value": 15.0, "unit": "m3/ha"}, "density_kg_l": 1.0}},
		"contents as elements": {applied(11, "custom", 4, agronomy.Tonne, func(f *farm.Fertilization) {
			f.NutrientBasis, f.Nutrients = farm.BasisElemental, farm.Nutrients{N: ptr(10.0), P2O5: ptr(10.0), K2O: ptr(10.0)}
			f.Inhibitor, f.ApplicationMethod, f.AppliedOn = "urease", "injected", ptr(time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC))
		}), "fertilizers", map[string]any{
			"product": "custom", "rate": map[string]any{"value": 4.0, "unit": "t"}, "n_pct": 10.0, "p2o5_pct": 22.9134, "k2o_pct": 12.0461,
			"inhibitor": "urease", "method": "injected", "date": "2024-03-01",
		}},
		"no product":     {applied(11, "", 4, agronomy.Tonne), "fertilizers", nil},
		"no amount":      {applied(11, "urea", 4, agronomy.Tonne, func(f *farm.Fertilization) { f.Amount = nil }), "fertilizers", nil},
		"another's crop": {applied(99, "urea", 4, agronomy.Tonne), "fertilizers", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := grounds()
			k.Fertilizations = []farm.Fertilization{c.of}
			p := proposal(prefill.Propose(tab, empty(), assessment.Sheet{}, k), c.section)
			if c.want == nil {
				require.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			require.Equal(t, []any{c.want}, p.Proposed)
			require.Equal(t, []prefill.Source{{Resource: "fertilization", ID: c.of.ID, Name: "Wheat"}}, p.Sources)
			require.False(t, p.Filled())
		})
	}
}

func TestPrefillShowsWhatIsThere(t *testing.T) {
	t.Parallel()
	tab, k := table(t), grounds()
	a := empty()
	a.FarmCountry = "france"
	rows, wrong := tab.Check("fertilizers", []any{map[string]any{"product": "urea", "rate": map[string]any{"value": 200.0, "unit": "kg/ha"}}})
	require.Empty(t, wrong)
	sheet := assessment.Sheet{"fertilizers": rows}
	k.Fertilizations = []farm.Fertilization{applied(11, "can", 3, agronomy.Tonne)}
	p := prefill.Propose(tab, a, sheet, k)
	require.True(t, proposal(p, "farm_country").Same())
	fertilizers := proposal(p, "fertilizers")
	require.True(t, fertilizers.Filled())
	require.False(t, fertilizers.Same())
}
