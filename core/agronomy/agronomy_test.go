package agronomy_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/agronomy"
	"tilth/tests/realdata"
)

func TestMassPerHa(t *testing.T) {
	t.Parallel()
	density, area := 1.32, 4.0
	for unit, want := range map[agronomy.Unit]float64{
		agronomy.KgPerHa: 100, agronomy.TPerHa: 100_000, agronomy.LPerHa: 132, agronomy.M3PerHa: 132_000,
		agronomy.LbPerAcre: 112.085116, agronomy.GalPerAcre: 1234.72222,
		agronomy.Kg: 25, agronomy.Tonne: 25_000, agronomy.Litre: 33, agronomy.M3: 33_000,
	} {
		got, ok := agronomy.Amount{Value: 100, Unit: unit}.MassPerHa(&density, &area)
		require.True(t, ok, unit)
		require.InEpsilon(t, want, got, 1e-6, unit)
		_, ok = agronomy.Amount{Value: 100, Unit: unit}.MassPerHa(nil, &area)
		require.Equal(t, !unit.Volume(), ok, "%s without a density", unit)
		_, ok = agronomy.Amount{Value: 100, Unit: unit}.MassPerHa(&density, nil)
		require.Equal(t, unit.PerArea(), ok, "%s without an area", unit)
		require.True(t, unit.Known())
	}
	require.Len(t, agronomy.Units(), 10)
	_, ok := agronomy.Amount{Value: 1, Unit: "bushel"}.MassPerHa(&density, &area)
	require.False(t, ok)
}

// longNames are the products whose rows in the table of contents are named in full.
var longNames = map[string]string{
	"uan": "urea_ammonium_nitrate", "can": "calcium_ammonium_nitrate", "map": "monoammonium_phosphate", "dap": "diammonium_phosphate",
	"tsp": "triple_superphosphate", "ssp": "single_superphosphate", "mop": "muriate_of_potash", "sop": "sulphate_of_potash",
}

// TestTables compares the catalog and the conversions with the tables they come from.
func TestTables(t *testing.T) {
	t.Parallel()
	contents, units := table(t, "fertilizer_content.csv"), table(t, "units.csv")
	compared := 0
	for _, p := range agronomy.Products() {
		name, kind := p.Key, "fertilizer."
		if longNames[name] != "" {
			name = longNames[name]
		}
		if p.Organic {
			kind = "organic."
		}
		for nutrient, have := range map[string]*float64{"n": p.N, "p2o5": p.P2O5, "k2o": p.K2O} {
			if want, ok := contents[kind+name+"."+nutrient]; ok {
				require.NotNil(t, have, "%s %s", p.Key, nutrient)
				require.InDelta(t, want, *have, 1e-9, "%s %s", p.Key, nutrient)
				compared++
			}
		}
	}
	require.Greater(t, compared, 30)
	for key, have := range map[string]float64{
		"unit.lb_to_kg": agronomy.KgPerPound, "unit.acre_to_hectare": agronomy.HectarePerAcre, "unit.us_gallon_to_litre": agronomy.LitrePerGallon,
		"unit.p_to_p2o5": agronomy.P2O5PerP, "unit.k_to_k2o": agronomy.K2OPerK, "unit.tonne_to_kg": agronomy.KgPerTonne,
	} {
		require.InDelta(t, units[key], have, 1e-12, key)
	}
}

func TestProducts(t *testing.T) {
	t.Parallel()
	urea, ok := agronomy.FindProduct("urea")
	require.True(t, ok)
	require.InDelta(t, 46, *urea.N, 0)
	for _, key := range []string{agronomy.CustomProduct, agronomy.OtherOrganic} {
		p, ok := agronomy.FindProduct(key)
		require.True(t, ok)
		require.Nil(t, p.N, "the contents of %s must be stated", key)
	}
	_, ok = agronomy.FindProduct("gold")
	require.False(t, ok)
	require.Len(t, agronomy.ProductKeys(), len(agronomy.Products()))
}

// table reads the values of a table of the real data by key, or skips the test loudly.
func table(t *testing.T, name string) map[string]float64 {
	t.Helper()
	file, err := os.Open(realdata.Path(t, "ghg", name))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, row := range rows[1:] {
		out[row[0]], err = strconv.ParseFloat(strings.TrimSpace(row[1]), 64)
		require.NoError(t, err, row[0])
	}
	return out
}
