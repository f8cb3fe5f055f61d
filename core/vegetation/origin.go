package vegetation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"
	"time"

	"tilth/core/geo"
)

// Algorithm is the version of the path from scenes to a date. Any change to how pixels become a
// value (a formula, the mask, the merging of scenes, the criteria for a date to enter) raises it;
// the next refresh then recomputes all dates.
const Algorithm = 2

// Origin identifies what a date was computed from, so that a refresh can decide whether computing
// it again could change it. It covers all passes of the day, of which one decided the date.
type Origin struct {
	// Fingerprint is that of the day, see Recipe.Days. It is empty where it is not known, and where
	// a scene of the day could not be read, which may succeed later.
	Fingerprint string
	// As in Series, for any pass of the day.
	NoSCL, SmallField, Synthetic bool
}

// origin returns the origin of the day as far as this outcome knows it.
func (o Outcome) origin() Origin {
	if o.Rejection != nil && o.Rejection.Reason == ReasonError {
		o.Fingerprint = ""
	}
	return o.Origin
}

// and adds another pass of the same day.
func (o Origin) and(other Origin) Origin {
	if other.Fingerprint == "" {
		o.Fingerprint = ""
	}
	return Origin{o.Fingerprint, o.NoSCL || other.NoSCL, o.SmallField || other.SmallField, o.Synthetic || other.Synthetic}
}

// Recipe is what all dates of a series are computed with, besides the scenes.
type Recipe struct {
	Boundary geo.MultiPolygon // WGS84
	Reading
}

// Day is the passes of one solar day, the unit that a refresh keeps or recomputes: a day has at
// most one date, and which pass decides it is known only from all of them.
type Day struct {
	Date        time.Time // the solar day, as UTC midnight
	Passes      []Pass    // in the order of Passes
	Fingerprint string    // changes with whatever could change the day's date
}

// Days groups passes, in the order of Passes, by solar day.
func (r Recipe) Days(passes []Pass) []Day {
	var out []Day
	for _, p := range passes {
		if n := len(out); n == 0 || !out[n-1].Date.Equal(p.Day) {
			out = append(out, Day{Date: p.Day})
		}
		last := &out[len(out)-1]
		last.Passes = append(last.Passes, p)
	}
	h := sha256.New()
	write(h, Algorithm, r.Index, r.Mask, r.Boundary)
	if r.Dataset != AllDatasets {
		write(h, r.Dataset)
	}
	if r.Dataset == Harmonised {
		write(h, harmonisedVersion)
	}
	head := hex.EncodeToString(h.Sum(nil))
	for i := range out {
		out[i].Fingerprint = fingerprint(head, out[i].Passes, r.looksAt)
	}
	return out
}

// looksAt reports whether a band can change a date: an auxiliary band can only for the readings that use it.
func (r Recipe) looksAt(b Band) bool {
	return !b.Auxiliary() || b == CLP && r.Mask.NeedsProbability() || b == B8A && r.Dataset == Harmonised
}

// fingerprint digests the head, which all days share, and the passes of a day.
func fingerprint(head string, passes []Pass, looksAt func(Band) bool) string {
	h := sha256.New()
	write(h, head)
	for _, p := range passes {
		write(h, "pass", p.Platform, p.RelativeOrbit)
		for _, s := range p.Scenes {
			bands := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Bands)), func(b Band) bool { return !looksAt(b) })
			write(h, "scene", s.ID, s.Tile, s.SensedAt.UnixNano(), s.Datastrip, s.Baseline, s.Updated.UTC(), s.Synthetic, s.Broken,
				bands, s.Revision)
			if slices.ContainsFunc(bands, Band.Auxiliary) {
				write(h, s.Auxiliary)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// write adds values to a digest so that no two sequences have the same bytes.
func write(h hash.Hash, values ...any) {
	for _, v := range values {
		text := fmt.Sprintf("%v", v)
		_, _ = fmt.Fprintf(h, "%d:%s,", len(text), text) // writing to a hash never fails
	}
}

// Unchanged splits the days of the archive by what the series knows: kept are the dates that
// computing again would not change; fresh are the days to compute: new ones, changed ones, and
// those of which a scene could not be read. Days gone from the archive are in neither.
func (s Series) Unchanged(days []Day) (kept []Outcome, fresh []Day) {
	known := make(map[string]Outcome, len(s.Observations)+len(s.Rejected))
	for _, o := range s.Observations {
		known[o.Origin.Fingerprint] = Outcome{Observation: &o, Origin: o.Origin}
	}
	for _, r := range s.Rejected {
		known[r.Origin.Fingerprint] = Outcome{Rejection: &r, Origin: r.Origin}
	}
	for _, d := range days {
		if o, ok := known[d.Fingerprint]; ok {
			kept = append(kept, o)
			continue
		}
		fresh = append(fresh, d)
	}
	return kept, fresh
}

// Same reports whether two series are equal in all but their origins.
func (s Series) Same(other Series) bool {
	return s.Reading() == other.Reading() && s.NoSCL == other.NoSCL && s.SmallField == other.SmallField && s.Synthetic == other.Synthetic &&
		slices.EqualFunc(s.Observations, other.Observations, Observation.same) &&
		slices.EqualFunc(s.Rejected, other.Rejected, Rejection.same)
}

// SameOrigins reports whether two series that are the same have the same origins.
func (s Series) SameOrigins(other Series) bool {
	return slices.EqualFunc(s.Observations, other.Observations, func(a, b Observation) bool { return a.Origin == b.Origin }) &&
		slices.EqualFunc(s.Rejected, other.Rejected, func(a, b Rejection) bool { return a.Origin == b.Origin })
}

func (o Observation) same(other Observation) bool {
	figures := func(o Observation) [8]float64 {
		return [...]float64{o.Value, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, o.Coverage}
	}
	return o.Date.Equal(other.Date) && figures(o) == figures(other) && o.NValid == other.NValid && o.NPolygon == other.NPolygon &&
		slices.Equal(o.Items, other.Items) && slices.Equal(o.Offsets, other.Offsets) && slices.Equal(o.Histogram, other.Histogram) &&
		reflect.DeepEqual(o.Sensor, other.Sensor)
}

func (r Rejection) same(other Rejection) bool {
	return r.Date.Equal(other.Date) && r.Reason == other.Reason && r.Coverage == other.Coverage && r.NValid == other.NValid &&
		r.NPolygon == other.NPolygon && r.Note == other.Note && slices.Equal(r.Items, other.Items)
}
