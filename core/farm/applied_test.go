package farm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/agronomy"
	"tilth/core/farm"
	"tilth/core/record"
)

func civil(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

// An application belongs to the cultivation that the file names, or else to the one whose season holds its day.
func TestApplicationsFindTheirCultivation(t *testing.T) {
	t.Parallel()
	grown := func(id int64, crop, from, to string) farm.Grown {
		return farm.Grown{Cultivation: farm.Cultivation{Meta: record.Meta{ID: id}, Crop: record.Ref{ID: id, Name: crop}}, Season: farm.Season{Name: "S", StartDate: civil(from), EndDate: civil(to)}}
	}
	wheat, rape, maize := grown(1, "Wheat", "2025-10-01", "2026-07-31"), grown(2, "Rape", "2026-07-01", "2027-07-31"), grown(3, "Maize", "2024-01-01", "2024-12-31")
	all := []farm.Grown{wheat, rape, maize}
	for _, tt := range []struct {
		name, on, sown string
		of             []farm.Grown
		said, want     int64
		why            string
	}{
		{name: "its day", on: "2026-03-01", of: all, want: 1},
		{name: "a day in two seasons", on: "2026-07-15", of: all, why: "Wheat in S or to Rape in S"},
		{name: "of which the file says one", on: "2026-07-15", of: all, said: 2, want: 2},
		{name: "a day in none", on: "2023-05-01", of: all, said: 1, why: "2023-05-01"},
		{name: "named, before the season", on: "2025-08-01", sown: wheat.Name(), of: all, want: 1},
		{name: "named, and not there", on: "2026-03-01", sown: "2020-01-01/2020-12-31/Oats", of: all, want: 1},
		{name: "named, and nothing else", on: "2023-03-01", sown: "2020-01-01/2020-12-31/Oats", of: all, why: "2020-01-01/2020-12-31/Oats"},
		{name: "no day, one crop", of: all[:1], want: 1},
		{name: "no day, several", of: all, why: "may belong to"},
		{name: "no day, said", of: all, said: 3, want: 3},
		{name: "no crop", of: nil, why: "no cultivation"},
	} {
		a := farm.Application{Sown: tt.sown}
		if tt.on != "" {
			a.Record.AppliedOn = new(civil(tt.on))
		}
		id, why := a.Among(tt.of, tt.said)
		require.Equal(t, tt.want, id, tt.name)
		require.Contains(t, why, tt.why, tt.name)
		require.Equal(t, tt.why == "", why == "", tt.name)
	}
}

// Two applications that say the same are two fertilizations; a total is compared by its rate, to half a step of the file.
func TestApplicationsFindTheirFertilization(t *testing.T) {
	t.Parallel()
	amount := func(value float64, unit agronomy.Unit) *agronomy.Amount {
		return &agronomy.Amount{Value: value, Unit: unit}
	}
	on := civil("2026-03-01")
	said := farm.Application{Record: farm.Fertilization{Cultivation: record.Ref{ID: 1}, AppliedOn: &on, Product: "urea", Amount: amount(150.33, agronomy.KgPerHa)}, Step: 0.01}
	is := func(id int64, change func(*farm.Fertilization)) farm.Fertilization {
		out := said.Record
		out.ID = id
		change(&out)
		return out
	}
	there := []farm.Fertilization{
		is(1, func(f *farm.Fertilization) { f.Product = "uan" }), is(2, func(f *farm.Fertilization) { f.AppliedOn = nil }),
		is(3, func(f *farm.Fertilization) { f.Amount = amount(150.34, agronomy.KgPerHa) }), is(4, func(f *farm.Fertilization) { f.Amount = nil }),
		is(5, func(f *farm.Fertilization) { f.Cultivation.ID = 2 }), is(6, func(f *farm.Fertilization) { f.ProductName = "Ours" }),
		is(7, func(f *farm.Fertilization) { f.Amount, f.TreatedAreaHa = amount(451, agronomy.Kg), new(3.0) }),
		is(8, func(f *farm.Fertilization) { f.ExternalID = "U-1" }),
	}
	require.EqualValues(t, 7, said.Find(there, nil).ID, "451 kg on 3 ha are 150.33 kg/ha")
	require.EqualValues(t, 8, said.Find(there, map[int64]bool{7: true}).ID)
	require.Nil(t, said.Find(there, map[int64]bool{7: true, 8: true}))
	keyed := said
	keyed.Record.ExternalID, keyed.Record.Amount = "U-1", amount(90, agronomy.KgPerHa)
	found := keyed.Find(there, nil)
	require.EqualValues(t, 8, found.ID)
	found.Notes = "kept"
	changed := keyed.Over(*found)
	require.Equal(t, []any{"kept", 90.0}, []any{changed.Notes, changed.Amount.Value})
	total := keyed
	total.Record.Amount = amount(150.33, agronomy.KgPerHa)
	require.Equal(t, agronomy.Kg, total.Over(there[6]).Amount.Unit, "as it was typed, where it says the same")
}

func TestProductsAreFoundByKeyAndName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"urea": "urea", " UREA ": "urea", "Diammonium  phosphate": "dap", "Herbicide": "", "": ""} {
		got, ok := farm.ProductNamed(name, false)
		require.Equal(t, want != "", ok, name)
		require.Equal(t, want, got.Key, name)
	}
	got, ok := farm.ProductNamed("Urea ammonium nitrate solutio", true)
	require.True(t, ok)
	require.Equal(t, "uan", got.Key)
	_, ok = farm.ProductNamed("Another", true)
	require.False(t, ok, "two begin so")
}
