package ghg

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tilth/core/country"
)

// Factor is one row of the factor tables.
type Factor struct {
	Key   string
	Value float64
	// Empty: the source's table has no number in this cell. In the tables of residues the term is then left out, for the
	// grid the world row is used, and elsewhere it is an error.
	Empty        bool
	Unit         string
	Lower, Upper float64 // the 95 % range; meaningful where Ranged
	Ranged       bool
	Source       string
	Status       string // [Verified] or [Unverified] in the tables; in a set [Secondary] as well
	RangeStatus  string // in a set: of the range; empty where the row is exact
	Note         string

	residue bool   // an empty cell of the table leaves its term out
	rangeOf string // the kind of source whose range the row takes; empty: its own
	rank    int    // numbers the ranged factors of a set
}

// ClimateRegion holds what the tables need to know about a climate zone.
type ClimateRegion struct {
	Key              string
	Moisture         string // wet or dry (IPCC 2019 V4 ch11, footnotes of Tables 11.1 and 11.3)
	PerennialClass   string
	OrganicSoilClass string
}

// FactorTables is what a factor set is made of.
type FactorTables struct {
	// ID names the set (ipcc2019_ar6), Version its edition, GWP its set of warming potentials (ar6).
	ID, Version, GWP string
	Factors          []Factor
	Mapping          []MappingRow
	Climate          []ClimateRegion
	Countries        map[string]country.Regions
}

// FactorSet is one edition of the factors with the mapping that leads to them. It never changes and is safe for concurrent use.
type FactorSet struct {
	ID, Version, GWP string
	Digest           string // SHA-256 of everything a result can depend on, in hexadecimal

	mapping       *Mapping
	rows          map[string]*Factor
	entered       map[string]*Factor // of what users enter, by key
	climate       map[string]ClimateRegion
	countries     map[string]country.Regions
	replaced      map[string]string
	targets       []target           // what the rows of the mapping lead to, by their place
	gwp           Masses             // kg CO2e per kg
	potentials    [NotSplit]quantity // the rows of gwp, whose ranges are left out
	ranged        int                // number of factors with a range
	residueMethod string             // default of residues.method
}

// target is what a row of the mapping leads to: a number, a row, or one row for each climate zone.
type target struct {
	literal bool
	value   float64
	factor  *Factor
	zones   map[string]*Factor
	grid    bool // the row of the country, or of the world
}

// Sections of mapping.csv that are not sections of an assessment.
const (
	sectionFactorSet  = "factor_set"
	sectionN2O        = "soil_n2o"
	sectionTier2      = "soc_tier2"
	sectionGeneral    = "general"
	sectionConversion = "land_use_change"
)

// oldSet marks the terms of mapping.csv that apply to [IPCC2006] alone.
const oldSet = "v2006_"

// The factor sets that are built in.
const (
	IPCC2019 = "ipcc2019_ar6"
	IPCC2006 = "ipcc2006_ar5"
)

// NewFactorSet checks that the mapping leads to rows that exist, in every climate zone, and indexes them.
func NewFactorSet(t FactorTables) (*FactorSet, error) {
	s := &FactorSet{
		ID: t.ID, Version: t.Version, GWP: t.GWP, Digest: digest(t),
		rows: make(map[string]*Factor, len(t.Factors)), climate: make(map[string]ClimateRegion, len(t.Climate)),
		countries: t.Countries, replaced: map[string]string{}, entered: make(map[string]*Factor, len(enteredRows)),
	}
	for _, row := range t.Factors { // a copy of each, because the ranks belong to this set
		f := &row
		if s.rows[f.Key] != nil {
			return nil, fmt.Errorf("factor set %s: two rows with the key %s", t.ID, f.Key)
		}
		f.residue = strings.HasPrefix(f.Key, "residue.")
		f.assumeRange()
		f.judge()
		if f.Ranged {
			f.rank = s.ranged
			s.ranged++
		}
		s.rows[f.Key] = f
	}
	for _, key := range enteredRows {
		s.entered[key] = &Factor{Key: key, Ranged: true, rank: s.ranged, rangeOf: key}
		s.ranged++
	}
	for _, c := range t.Climate {
		s.climate[c.Key] = c
	}
	s.mapping = NewMapping(s.selected(t.Mapping))
	if err := s.resolve(); err != nil {
		return nil, err
	}
	return s, s.resolveGWP()
}

// selected keeps the rows of the mapping that apply to this set. In the 2006 set, its own terms replace those of the
// same name; the other sets leave them out.
func (s *FactorSet) selected(rows []MappingRow) []MappingRow {
	old := map[[2]string]bool{}
	if s.ID == IPCC2006 {
		for _, r := range rows {
			if field, ok := withoutOld(r.Field); ok {
				old[[2]string{r.Section, field}] = true
			}
		}
	}
	out := make([]MappingRow, 0, len(rows))
	for _, r := range rows {
		if r.Section == sectionFactorSet {
			if r.Field == s.ID {
				s.replaced[r.Value] = r.Key
			}
			continue
		}
		field, isOld := withoutOld(r.Field)
		switch {
		case isOld && field == "climate_region/factor_class", isOld && field == "climate_region/soc_class":
			out = append(out, r) // classes, used inside keys
		case isOld && s.ID == IPCC2006:
			r.Field = field
			out = append(out, r)
		case !isOld && !old[[2]string{r.Section, r.Field}]:
			out = append(out, r)
		}
	}
	return out
}

// withoutOld returns "tillage/f_mg" for "tillage/v2006_f_mg".
func withoutOld(field string) (string, bool) {
	name, term, _ := strings.Cut(field, "/")
	term, ok := strings.CutPrefix(term, oldSet)
	return name + "/" + term, ok
}

// gridOfCountry is how the mapping refers to the row of the country's electricity.
const gridOfCountry = "@general:farm_country/grid"

// resolve looks up every key of the mapping once, and in every zone where the key depends on the zone.
func (s *FactorSet) resolve() error {
	s.targets = make([]target, len(s.mapping.Rows()))
	for i, r := range s.mapping.Rows() {
		t := &s.targets[i]
		switch _, literal := r.Literal(); {
		case literal:
			t.value, t.literal = r.Number()
		case strings.HasPrefix(r.Key, "@"):
			t.grid = r.Key == gridOfCountry
		case strings.Contains(r.Key, "{"):
			t.zones = make(map[string]*Factor, len(s.climate))
			for zone := range s.climate {
				if t.zones[zone] = s.rows[s.replace(s.expand(r.Key, zone))]; t.zones[zone] == nil {
					return s.noRow(r, zone)
				}
			}
		default:
			if t.factor = s.rows[s.replace(r.Key)]; t.factor == nil {
				return s.noRow(r, "any zone")
			}
		}
	}
	s.residueMethod = "ratio"
	if method, ok := strings.CutPrefix(s.replaced["residues.method"], "="); ok {
		s.residueMethod = method
	}
	return nil
}

func (s *FactorSet) noRow(r MappingRow, zone string) error {
	return fmt.Errorf("factor set %s: %s %s %s leads to %s, which has no row in %s", s.ID, r.Section, r.Field, r.Value, r.Key, zone)
}

func (s *FactorSet) replace(key string) string {
	return cmp.Or(s.replaced[key], key)
}

// expand puts the classes of a climate zone into the key of a row.
func (s *FactorSet) expand(key, zone string) string {
	class := func(term string) string {
		row, _ := s.mapping.Find(sectionGeneral, "climate_region/"+term, zone)
		value, _ := row.Literal()
		return value
	}
	return strings.NewReplacer(
		"{climate_region}", zone, "{organic_soil_class}", s.climate[zone].OrganicSoilClass,
		"{v2006_factor_class}", class(oldSet+"factor_class"), "{v2006_soc_class}", class(oldSet+"soc_class"),
	).Replace(key)
}

// Mapping returns the rows that apply to this set.
func (s *FactorSet) Mapping() *Mapping { return s.mapping }

// Row returns a factor by its key, after the set's own replacements.
func (s *FactorSet) Row(key string) (Factor, bool) {
	if f := s.rows[s.replace(key)]; f != nil {
		return *f, true
	}
	return Factor{}, false
}

// Rows returns the rows of the tables, ordered by their keys.
func (s *FactorSet) Rows() []Factor {
	out := make([]Factor, 0, len(s.rows))
	for _, key := range slices.Sorted(maps.Keys(s.rows)) {
		out = append(out, *s.rows[key])
	}
	return out
}

// Copy returns a set with rows of its own, and these rows, ordered by their keys. Their values, each in its unit, can be
// changed between two calculations without changing this set. The warming potentials and the digest remain those of
// this set.
func (s *FactorSet) Copy() (*FactorSet, []*Factor) {
	out, rows, fresh := *s, make([]*Factor, 0, len(s.rows)), make(map[*Factor]*Factor, len(s.rows))
	out.rows, out.targets = make(map[string]*Factor, len(s.rows)), slices.Clone(s.targets)
	for _, row := range s.Rows() {
		fresh[s.rows[row.Key]], out.rows[row.Key] = &row, &row
		rows = append(rows, &row)
	}
	for i := range out.targets {
		t := &out.targets[i]
		t.factor = fresh[t.factor]
		if t.zones != nil {
			t.zones = maps.Clone(t.zones)
			for zone, f := range t.zones {
				t.zones[zone] = fresh[f]
			}
		}
	}
	return &out, rows
}

// digest covers what a result can depend on, in a fixed order.
func digest(t FactorTables) string {
	h := sha256.New()
	say := func(parts ...any) { _, _ = fmt.Fprintln(h, parts...) }
	say("set", t.ID, t.Version, t.GWP)
	for _, f := range t.Factors {
		say("factor", f.Key, f.Value, f.Empty, f.Unit, f.Lower, f.Upper, f.Ranged, f.Source, f.Status, f.Note)
	}
	for _, r := range t.Mapping {
		say("mapping", r.Section, r.Field, r.Value, r.Key, r.Note)
	}
	for _, c := range t.Climate {
		say("climate", c.Key, c.Moisture, c.PerennialClass, c.OrganicSoilClass)
	}
	for _, key := range slices.Sorted(maps.Keys(t.Countries)) {
		say("country", key, t.Countries[key].Rice, t.Countries[key].Production)
	}
	return hex.EncodeToString(h.Sum(nil))
}
