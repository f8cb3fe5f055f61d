package zoning

import (
	"fmt"
	"regexp"
	"time"

	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification"
)

// CandidateDays is the number of days for which an unsaved map or plan is kept.
const CandidateDays = 30

// About is the common part of the candidates of one call. It is frozen with each map.
type About struct {
	Params              Params
	Layers              []LayerUse // in the order given
	MinZoneAreaHa       float64    // bound of the smallest part of a zone
	SamplesWithoutZones int        // N for the whole area as one zone
	WeakStratification  bool       // even the best zones save less than 5 % of the samples
	AlgorithmVersion    string
	CellSize            float64 // metres
	EPSG                int
	AreaHa              float64
	Synthetic           bool // a layer comes from a synthetic archive; Zones does not know this
}

// Used returns the layers from which the zones were made, in the order of Zone.Means.
func (a About) Used() []LayerUse {
	var out []LayerUse
	for _, l := range a.Layers {
		if l.Dropped == "" {
			out = append(out, l)
		}
	}
	return out
}

// Leading returns the used layer by whose mean the zones are numbered, and its place in Zone.Means; false
// where there is none.
func (a About) Leading() (use LayerUse, place int, ok bool) {
	for i, l := range a.Used() {
		if i == 0 || l.Weight > use.Weight {
			use, place, ok = l, i, true
		}
	}
	return use, place, ok
}

// Map is a map of zones of an order: a candidate for CandidateDays, or saved for good.
type Map struct {
	ID        int64
	CompanyID int64
	OrderID   int64
	AOI       stratification.AOIRef
	About     About
	Candidate Candidate // with labels and outlines only where the whole map was requested
	CreatedAt time.Time
	Saved     *Saving // nil: a candidate
}

// Saving records how and by whom a map or plan was saved.
type Saving struct {
	Name string
	Tag  string // unique within the order
	At   time.Time
	By   int64
	record.External
}

// DefaultTag returns the tag of a map that is saved without one.
func DefaultTag(zones int) string { return fmt.Sprintf("str-k%d", zones) }

var tags = regexp.MustCompile(`^[a-z0-9._-]{1,50}$`)

// CheckTag refuses an invalid tag under the name of its parameter; an empty tag stands for the default.
func CheckTag(parameter, tag string) fault.Fields {
	f := fault.Fields{}
	if tag != "" && !tags.MatchString(tag) {
		f.Add(parameter, "A tag must have 1 to 50 of the characters a-z, 0-9, dot, underscore and hyphen.")
	}
	return f
}

// RunStatus is the state of a call that makes maps.
type RunStatus string

// The states of a run.
const (
	RunQueued  RunStatus = "queued"
	RunRunning RunStatus = "running"
	RunDone    RunStatus = "done"
	RunFailed  RunStatus = "failed"
)

// Run is a call that makes the maps of an order. The same parameters are the same run.
type Run struct {
	ID        int64
	CompanyID int64
	OrderID   int64
	Key       string   // names the parameters: RunKey
	Layers    []string // the layers to use, in the order of the order's; never empty
	Params    Params
	Status    RunStatus
	Done      int // steps, of Total
	Total     int
	Reason    string   // why there is no candidate, or why it failed
	Maps      []string // ids of the candidates, by ascending number of zones
	CreatedBy int64    // who asked for it last
	Operator  bool     // that user is an operator, acting inside the company
	KeyID     int64    // the API key of the request; 0: none
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Progress returns the finished share, from 0 to 1.
func (r Run) Progress() float64 {
	switch {
	case r.Status == RunDone:
		return 1
	case r.Total <= 0:
		return 0
	default:
		return float64(min(r.Done, r.Total)) / float64(r.Total)
	}
}

// Open reports whether the run is unfinished.
func (r Run) Open() bool { return r.Status == RunQueued || r.Status == RunRunning }
