package vegetation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"time"

	"tilth/core/geo"
)

// Algorithm numbers the way from scenes to a date. Whoever changes how pixels become a
// value (a formula, the mask, the merging of scenes, what makes a date enter) raises it:
// every stored date is then computed anew by its next refresh.
const Algorithm = 1

// Origin says what a date was made from, so that it can be told later whether computing it
// again could give anything else. Of the day's passes one gave the date; the origin is of
// all of them.
type Origin struct {
	// Fingerprint is that of the day, see Recipe.Days. It is empty where it is not known, and
	// where a scene of the day could not be read, which another try may.
	Fingerprint string
	// As of the series: true where any pass of the day was so.
	NoSCL, SmallField, Synthetic bool
}

// origin returns what an outcome alone says of its day.
func (o Outcome) origin() Origin {
	out := Origin{Fingerprint: o.Fingerprint, NoSCL: o.NoSCL, SmallField: o.SmallField, Synthetic: o.Synthetic}
	if o.Rejection != nil && o.Rejection.Reason == ReasonError {
		out.Fingerprint = ""
	}
	return out
}

// with adds another pass of the same day.
func (o Origin) with(other Origin) Origin {
	if other.Fingerprint == "" {
		o.Fingerprint = ""
	}
	return Origin{o.Fingerprint, o.NoSCL || other.NoSCL, o.SmallField || other.SmallField, o.Synthetic || other.Synthetic}
}

// Recipe is what all dates of a series are made with, beside the scenes.
type Recipe struct {
	Boundary geo.MultiPolygon // WGS84
	Index    IndexCode
	Mask     Mask
}

// Day is the passes of one solar day. It is the unit of taking over and computing anew: at
// most one date comes of a day, and which pass gives it is known only from all of them.
type Day struct {
	Date        time.Time // the solar day, as UTC midnight
	Passes      []Pass    // in the order of Passes
	Fingerprint string    // changes with whatever could change the day's date
}

// Days groups passes, which are ordered as Passes gives them, by solar day.
func (r Recipe) Days(passes []Pass) []Day {
	var out []Day
	for _, p := range passes {
		if n := len(out); n == 0 || !out[n-1].Date.Equal(p.Day) {
			out = append(out, Day{Date: p.Day})
		}
		last := &out[len(out)-1]
		last.Passes = append(last.Passes, p)
	}
	head := r.head()
	for i := range out {
		out[i].Fingerprint = fingerprint(head, out[i].Passes)
	}
	return out
}

// head digests what all days have in common.
func (r Recipe) head() string {
	h := sha256.New()
	note(h, Algorithm, r.Index, r.Mask, r.Boundary)
	return hex.EncodeToString(h.Sum(nil))
}

func fingerprint(head string, passes []Pass) string {
	h := sha256.New()
	note(h, head)
	for _, p := range passes {
		note(h, "pass", p.Platform, p.RelativeOrbit)
		for _, s := range p.Scenes {
			note(h, "scene", s.ID, s.Tile, s.SensedAt.UnixNano(), s.Datastrip, s.Baseline, s.Updated.UTC(), s.Synthetic, s.Broken,
				slices.Sorted(maps.Keys(s.Bands)), s.Revision)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// note adds values to a digest, each so that no two sequences read alike.
func note(h hash.Hash, values ...any) {
	for _, v := range values {
		text := fmt.Sprintf("%v", v)
		_, _ = fmt.Fprintf(h, "%d:%s,", len(text), text) // a hash takes everything
	}
}

// Unchanged splits the days that an archive has now by what is known of them: kept are the
// dates that computing again would give as they are; fresh is what must be computed: days
// that are new, days of which anything changed, and those of which a scene could not be
// read. Dates of days that the archive does not have any more are in neither.
func (s Series) Unchanged(days []Day) (kept []Outcome, fresh []Day) {
	known := make(map[string]Outcome, len(s.Observations)+len(s.Rejected))
	for _, o := range s.Observations {
		known[o.Origin.Fingerprint] = o.Origin.outcome(&o, nil)
	}
	for _, r := range s.Rejected {
		known[r.Origin.Fingerprint] = r.Origin.outcome(nil, &r)
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

func (o Origin) outcome(observation *Observation, rejection *Rejection) Outcome {
	return Outcome{
		Observation: observation, Rejection: rejection, Fingerprint: o.Fingerprint,
		NoSCL: o.NoSCL, SmallField: o.SmallField, Synthetic: o.Synthetic,
	}
}

// Same reports whether two series say the same: dates, figures, reasons and flags. What
// they were made from may differ.
func (s Series) Same(other Series) bool {
	return s.Index == other.Index && s.NoSCL == other.NoSCL && s.SmallField == other.SmallField && s.Synthetic == other.Synthetic &&
		slices.EqualFunc(s.Observations, other.Observations, Observation.same) &&
		slices.EqualFunc(s.Rejected, other.Rejected, Rejection.same)
}

// SameOrigins reports whether two series that say the same were made from the same.
func (s Series) SameOrigins(other Series) bool {
	return slices.EqualFunc(s.Observations, other.Observations, func(a, b Observation) bool { return a.Origin == b.Origin }) &&
		slices.EqualFunc(s.Rejected, other.Rejected, func(a, b Rejection) bool { return a.Origin == b.Origin })
}

func (o Observation) same(other Observation) bool {
	figures := func(o Observation) [8]float64 {
		return [...]float64{o.Value, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, o.Coverage}
	}
	return o.Date.Equal(other.Date) && figures(o) == figures(other) && o.NValid == other.NValid && o.NPolygon == other.NPolygon &&
		slices.Equal(o.Items, other.Items) && slices.Equal(o.Offsets, other.Offsets)
}

func (r Rejection) same(other Rejection) bool {
	return r.Date.Equal(other.Date) && r.Reason == other.Reason && r.Coverage == other.Coverage && r.NValid == other.NValid &&
		r.NPolygon == other.NPolygon && r.Note == other.Note && slices.Equal(r.Items, other.Items)
}
