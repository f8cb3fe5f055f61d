// Package labtable reads the tables that laboratories send: what their columns mean and in which unit, what a
// row states about the sample with its label, and how values below a limit and repeated labels are treated. It
// knows no file format and stores nothing.
package labtable

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tilth/core/fault"
)

// Names are the columns that describe a sample, in the units of their names. An export has them too.
var Names = []string{
	"label", "status", "lon", "lat", "collected_at", "collected_by", "accuracy_m",
	socPct, socLimitPct, bulkDensity, fragmentsPct, "method", "lab_ref", "analysed_at", "notes",
}

// Shown are the columns that an export has besides [Names]; an import ignores them.
var Shown = []string{
	"id", "plan", "aoi", "round", "round_day", "point", "zone", "role", "depth_from_cm", "depth_to_cm", "planned_lon", "planned_lat", "moved_m", "out_of_zone", "composite", "external_id",
}

const (
	socPct       = "soc_pct"
	socLimitPct  = "soc_limit_pct"
	bulkDensity  = "bulk_density_g_cm3"
	fragmentsPct = "coarse_fragments_pct"
)

// Column is what a column of a table means.
type Column struct {
	Header string // as written in the table
	Name   string // of Names; empty: it does not describe a sample and is ignored
	Unit   Unit   // of its values; the zero Unit where they have none
}

// Unit is a unit of a table's values. Two figures keep decimal values exact: 23.4 g/kg is 2.34 %.
type Unit struct {
	Shown       string  // as people write it: g/kg
	Times, Over float64 // value * Times / Over is in the unit of its column's name
}

// Factor returns the factor by which a value is multiplied; 1 where the column has no unit.
func (u Unit) Factor() float64 {
	if u.Over == 0 {
		return 1
	}
	return u.Times / u.Over
}

// quantity is a column with a unit.
type quantity struct {
	name  string   // of Names
	known []string // how laboratories name it
	units map[string]Unit
}

// The units of quantities, by their spelling as [plain] returns it.
var (
	percent = Unit{"%", 1, 1}
	ofMass  = spelled(map[Unit]string{
		percent:              "pct wt_pct mass_pct w_w_pct pct_w_w pct_m_m pct_mass pct_dm pct_dw pct_dry_matter pct_dry_weight g_100g g_100_g",
		{"g/kg", 1, 10}:      "g_kg g_kg_1 mg_g mg_g_1 permille",
		{"mg/kg", 1, 10_000}: "mg_kg mg_kg_1 ppm",
		{"kg/kg", 100, 1}:    "kg_kg kg_kg_1 g_g g_g_1",
	})
	ofVolume = spelled(map[Unit]string{
		percent:           "pct vol_pct v_v_pct pct_v_v pct_vol pct_volume",
		{"m³/m³", 100, 1}: "m3_m3 m3_m_3 cm3_cm3 cm3_cm_3 v_v",
	})
	ofDensity = spelled(map[Unit]string{ // mg_m3 is Mg/m³: soil is not measured in milligrams per cubic metre
		{"g/cm³", 1, 1}:     "g_cm3 g_cm_3 g_ml g_ml_1 g_cc kg_l kg_l_1 kg_dm3 kg_dm_3 t_m3 t_m_3 mg_m3 mg_m_3",
		{"kg/m³", 1, 1_000}: "kg_m3 kg_m_3 g_l g_l_1",
	})
	quantities = []quantity{
		{socPct, []string{"soc", "oc", "toc", "corg", "c_org", "org_c", "organic_c", "organic_carbon", "soil_organic_carbon", "total_organic_carbon"}, ofMass},
		{socLimitPct, []string{"soc_limit", "soc_lod", "soc_loq"}, ofMass},
		{bulkDensity, []string{"bulk_density", "dry_bulk_density", "bd"}, ofDensity},
		{fragmentsPct, []string{"coarse_fragments", "coarse_fraction", "rock_fragments", "stones", "gravel", "cf"}, ofVolume},
	}
)

func spelled(units map[Unit]string) map[string]Unit {
	out := map[string]Unit{}
	for unit, spellings := range units {
		for _, spelling := range strings.Fields(spellings) {
			out[spelling] = unit
		}
	}
	return out
}

// aliases are laboratories' names for the columns without a unit.
var aliases = map[string]string{
	"sample_label": "label", "sample_id": "label", "sample_no": "label", "sample_name": "label", "sample": "label",
	"sampled_at": "collected_at", "sampled_on": "collected_at", "sampling_date": "collected_at", "date_sampled": "collected_at", "collection_date": "collected_at",
	"sampled_by": "collected_by", "sampler": "collected_by",
	"analyzed_at": "analysed_at", "analysis_date": "analysed_at", "date_analysed": "analysed_at", "date_analyzed": "analysed_at", "date_of_analysis": "analysed_at",
	"lab_id": "lab_ref", "lab_no": "lab_ref", "lab_number": "lab_ref", "laboratory_number": "lab_ref",
	"remarks": "notes", "comment": "notes", "comments": "notes",
}

// Columns returns what the columns of a header mean. Where one has the exact name of a column without a unit,
// others of the same meaning are ignored.
//
// Faults: Invalid with "file" for a header without labels, two columns of one meaning, and a quantity whose
// unit is missing or cannot be converted.
func Columns(header []string) ([]Column, error) {
	out := make([]Column, len(header))
	of := map[string]int{}
	for i, text := range header {
		name, unit, err := meaning(text)
		if err != nil {
			return nil, fault.Field("file", err.Error())
		}
		out[i] = Column{Header: text, Name: name, Unit: unit}
		before, twice := of[name]
		switch {
		case name == "":
			continue
		case !twice:
		case unit.Shown == "" && plain(header[before]) == name:
			out[i].Name = ""
			continue
		case unit.Shown == "" && plain(text) == name:
			out[before].Name = ""
		default:
			return nil, fault.Field("file", fmt.Sprintf("Two columns are %s: %q and %q. Leave one out.", name, header[before], text))
		}
		of[name] = i
	}
	if _, ok := of["label"]; !ok {
		wrong := Unknown(out)
		wrong.Add("file", "The header has no column label.")
		return nil, wrong.Err()
	}
	return out, nil
}

// maxUnknown is the maximum number of unknown columns that are named.
const maxUnknown = 100

// Unknown returns a message for each column that belongs neither to a sample nor to an export.
func Unknown(columns []Column) fault.Fields {
	out := fault.Fields{}
	known := slices.Concat(Names, slices.Sorted(maps.Keys(aliases)))
	for _, c := range columns {
		name, _, err := meaning(c.Header)
		if err != nil || name != "" || c.Header == "" || slices.Contains(Shown, c.Header) || len(out) == maxUnknown {
			continue
		}
		message := "There is no such column"
		if nearest := fault.Nearest(plain(c.Header), known); nearest != "" {
			out.Misplaced(c.Header, message+fault.Meant(nearest))
		} else {
			out.Misplaced(c.Header, message+". Fix: leave it out.")
		}
	}
	return out
}

// meaning returns the name and the unit of a column; an empty name where it is none of Names.
func meaning(header string) (name string, unit Unit, err error) {
	spelling := plain(header)
	before, _, bracketed := strings.Cut(strings.ReplaceAll(header, "(", "["), "[")
	for _, q := range quantities {
		for _, known := range q.known {
			rest, ok := strings.CutPrefix(spelling, known)
			rest, apart := strings.CutPrefix(rest, "_")
			switch unit, fits := q.units[rest]; {
			case !ok || rest != "" && !apart:
			case fits:
				return q.name, unit, nil
			case rest == "":
				return "", unit, fmt.Errorf("the column %q states no unit. Fix: write it in brackets, one of %s", header, q.shown())
			case isUnit(rest) || bracketed && plain(before) == known:
				return "", unit, fmt.Errorf("the unit of the column %q cannot be converted to %s. Fix: use one of %s", header, q.name, q.shown())
			}
		}
	}
	if to, ok := aliases[spelling]; ok {
		return to, Unit{}, nil
	}
	if slices.Contains(Names, spelling) {
		return spelling, Unit{}, nil
	}
	return "", Unit{}, nil
}

func isUnit(spelling string) bool {
	return slices.ContainsFunc(quantities, func(q quantity) bool { _, ok := q.units[spelling]; return ok })
}

// shown lists the units of a quantity for people.
func (q quantity) shown() string {
	var out []string
	for _, unit := range q.units {
		if !slices.Contains(out, unit.Shown) {
			out = append(out, unit.Shown)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

var signs = strings.NewReplacer("%", " pct ", "‰", " permille ", "³", "3", "⁻", "-", "¹", "1")

// plain returns the letters and digits of a header in lower case, joined by underscores: "SOC [g/kg]" is
// soc_g_kg.
func plain(header string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(signs.Replace(header)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "_")
}
