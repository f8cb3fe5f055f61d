// Package verification holds what is stored of the check of a declared crop against what satellites saw of its season:
// the states of a check, its evidence, and the rule that combines the verdicts on the fields into one. The verdict on
// one field is that of tilth/core/cropcheck.
package verification

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/core/cropcheck"
	"tilth/core/vegetation"
)

// Status is the progress of the check of a submitted assessment.
type Status string

// The states. A submission is pending, then processing, and then has a verdict, or is
// pending again with the reason: where nothing can be said, nothing is guessed.
const (
	Pending    Status = "pending"
	Processing Status = "processing"
	Verified   Status = "verified"
	Failed     Status = "failed"
)

// Verdict reports whether something was decided.
func (s Status) Verdict() bool { return s == Verified || s == Failed }

// Reason is a stable word for why a check has its status. Those on a field include the words of cropcheck.
type Reason string

// Reasons beside those of cropcheck.
const (
	ReasonWaiting           Reason = "waiting"            // pending: submitted, not begun
	ReasonSourceUnavailable Reason = "source_unavailable" // pending: the imagery source cannot be reached
	ReasonBrokenOff         Reason = "broken_off"         // pending: the computation was interrupted too often
	ReasonNoYear            Reason = "no_assessment_year" // pending
	ReasonNoCrop            Reason = "no_crop_type"       // pending
	ReasonGone              Reason = "resource_deleted"   // pending: the farm or field was deleted
	ReasonNoField           Reason = "no_field"           // pending: a farm without fields
	ReasonManyFields        Reason = "too_many_fields"    // pending
	ReasonNoGrowing         Reason = "no_cultivation"     // pending: none fits the year and crop
	ReasonSeveral           Reason = "several_cultivations"
	ReasonNoBoundary        Reason = "no_boundary"
	ReasonNotBegun          Reason = "season_not_begun"
	ReasonImagery           Reason = "imagery_unusable"    // pending: the imagery is permanently unusable
	ReasonFieldFailed       Reason = "field_failed"        // failed: a field of the farm
	ReasonAllVerified       Reason = "all_fields_verified" // verified: every field of the farm
	ReasonFieldPending      Reason = "field_pending"       // pending: a field of the farm
)

// Outcome is the status of a check, and what it found.
type Outcome struct {
	Status     Status
	Reason     Reason
	Text       string  // the reason for people
	Confidence float64 // 0 to 1: the probability that the verdict is right; 0 where there is none
	CropType   string  // the declared one, as the assessment names it
	DecidedAt  *time.Time
}

// MaxFields bounds the fields of a farm that are checked.
const MaxFields = 200

// Record is the check of one assessment.
type Record struct {
	Outcome
	AssessmentID int64
	Version      int // number of the submission that is checked
	Run          int // counts up with every start, so that a late worker knows it is late
	Attempts     int // tries of this run that could not reach the imagery source
	NextTryAt    *time.Time
	StartedAt    time.Time
	UpdatedAt    time.Time
	Evidence     Evidence
}

// Evidence is what a check rests on. Its JSON form is stored: members are added, never changed.
type Evidence struct {
	Model  string  `json:"model"` // of the comparison, see [cropcheck.Model]
	Fields []Field `json:"fields"`
}

// Field is the check of one field.
type Field struct {
	FieldID       int64              `json:"field_id"`
	FieldName     string             `json:"field_name"`
	CultivationID int64              `json:"cultivation_id"` // 0: none, or several
	SeasonID      int64              `json:"season_id"`
	SeasonName    string             `json:"season_name"`
	CropName      string             `json:"crop_name"`
	Verdict       Status             `json:"verdict"` // verified, failed, pending
	Reason        Reason             `json:"reason"`
	Text          string             `json:"text"`
	Confidence    float64            `json:"confidence"`
	Resembles     string             `json:"resembles"` // a curve class or [cropcheck.ResemblesNone]; empty: not known
	Declared      []string           `json:"declared"`  // curve classes of the declared crop
	Ranking       []cropcheck.Ranked `json:"ranking"`   // the nearest first
	Region        string             `json:"region"`    // of the curves; empty where there are none for the place
	CurvesVersion string             `json:"curves_version"`
	Scope         string             `json:"scope"` // what the curves were made of, and apply to
	Series        *Series            `json:"series"`
}

// Series is what was seen of a field, with what it was computed from: the cache of the check, and its evidence.
type Series struct {
	From       time.Time               `json:"from"` // the season
	To         time.Time               `json:"to"`
	OrderID    int64                   `json:"order_id"`  // of the ordered profile that it is taken from; 0: computed for the check
	Algorithm  int                     `json:"algorithm"` // see [vegetation.Algorithm]
	Synthetic  bool                    `json:"synthetic"`
	HasEVI     bool                    `json:"has_evi"`
	Dates      []cropcheck.Observation `json:"dates"`    // accepted
	Rejected   int                     `json:"rejected"` // dates lost to clouds or gaps
	ComputedAt time.Time               `json:"computed_at"`
	Boundary   string                  `json:"boundary"` // digest of the boundary that it was computed within
}

// settled is the time for which imagery still changes after a season: profiles are refreshed for as long.
const settled = 30 * 24 * time.Hour

// Reusable reports whether a series of an earlier computation can be used for a season within a boundary: it was
// computed in this run, or when the imagery of the season no longer changed.
func (s *Series) Reusable(from, to time.Time, boundary string, evi bool, runStarted time.Time) bool {
	same := s != nil && s.OrderID == 0 && s.From.Equal(from) && s.To.Equal(to) && s.Boundary == boundary &&
		s.Algorithm == vegetation.Algorithm && (s.HasEVI || !evi)
	return same && (!s.ComputedAt.Before(runStarted) || s.ComputedAt.After(to.Add(settled)))
}

// Begin starts the check of a version, or restarts it.
func (r *Record) Begin(version int, now time.Time) {
	r.Outcome = Outcome{Status: Pending, Reason: ReasonWaiting, Text: "The check has not begun yet.", CropType: r.CropType}
	r.Version, r.Attempts, r.NextTryAt, r.StartedAt, r.UpdatedAt = version, 0, nil, now, now
	r.Run++
}

// Process records that a worker is processing the check.
func (r *Record) Process(cropType string, now time.Time) {
	r.Outcome = Outcome{Status: Processing, CropType: cropType}
	r.NextTryAt, r.UpdatedAt = nil, now
}

// Undecided ends the run without a verdict.
func (r *Record) Undecided(reason Reason, text string, now time.Time) {
	r.Outcome = Outcome{Status: Pending, Reason: reason, Text: text, CropType: r.CropType, DecidedAt: &now}
	r.NextTryAt, r.UpdatedAt = nil, now
}

// SourceUnavailable records that the imagery source could not be reached, and returns when to try
// next, as [vegetation.Retry] says; false where the tries are used up.
func (r *Record) SourceUnavailable(now time.Time, jitter float64) (next time.Time, again bool) {
	r.Attempts++
	wait, again := vegetation.Retry.Wait(r.Attempts, jitter)
	if !again {
		r.Undecided(ReasonSourceUnavailable, fmt.Sprintf("The imagery source could not be reached in %d tries; start the check again.", r.Attempts), now)
		return now, false
	}
	next = now.Add(wait)
	r.Outcome = Outcome{Status: Pending, Reason: ReasonSourceUnavailable, Text: "The imagery source cannot be reached; it will be tried again.", CropType: r.CropType}
	r.NextTryAt, r.UpdatedAt = &next, now
	return next, true
}

// Decide ends the run with what was found on the fields.
//
// A single field decides for the whole. Of several, one that grows something else is enough to fail, with the
// confidence of the surest; all of them have to be verified, with the confidence of the least sure; otherwise the first
// that cannot be judged states the reason.
func (r *Record) Decide(fields []Field, now time.Time) {
	r.Evidence.Fields = fields
	r.UpdatedAt, r.NextTryAt = now, nil
	out := Outcome{CropType: r.CropType, DecidedAt: &now}
	by := func(s Status) (found []Field) {
		for _, f := range fields {
			if f.Verdict == s {
				found = append(found, f)
			}
		}
		return found
	}
	failed, pending, verified := by(Failed), by(Pending), by(Verified)
	lower := func(a, b Field) int { return cmp.Compare(a.Confidence, b.Confidence) }
	switch {
	case len(fields) == 0:
		out.Status, out.Reason, out.Text = Pending, ReasonNoField, "The farm has no fields."
	case len(fields) == 1:
		f := fields[0]
		out.Status, out.Reason, out.Text, out.Confidence = f.Verdict, f.Reason, f.Text, f.Confidence
	case len(failed) > 0:
		out.Status, out.Reason, out.Confidence = Failed, ReasonFieldFailed, slices.MaxFunc(failed, lower).Confidence
		out.Text = tell(failed, len(fields))
	case len(pending) > 0:
		out.Status, out.Reason, out.Text = Pending, ReasonFieldPending, tell(pending, len(fields))
	default:
		out.Status, out.Reason, out.Confidence = Verified, ReasonAllVerified, slices.MinFunc(verified, lower).Confidence
		out.Text = fmt.Sprintf("All %d fields are verified. ", len(fields)) + verified[0].Scope
	}
	out.Text = strings.TrimSpace(out.Text)
	r.Outcome = out
}

// Resembles returns the curve class that the series of the checked field resembles, or [cropcheck.ResemblesNone]; of several
// fields, that of the surest failed one. Empty where that is not known.
func (r *Record) Resembles() string {
	var decisive Field
	switch fields := r.Evidence.Fields; {
	case r.DecidedAt == nil:
	case len(fields) == 1:
		decisive = fields[0]
	case r.Status == Failed:
		for _, f := range fields {
			if f.Verdict == Failed && f.Confidence > decisive.Confidence {
				decisive = f
			}
		}
	}
	return decisive.Resembles
}

func tell(of []Field, all int) string {
	return fmt.Sprintf("%d of %d fields; of %s: %s", len(of), all, of[0].FieldName, of[0].Text)
}
