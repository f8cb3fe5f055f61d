package assessment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
)

// BatchKind is what is done to many assessments at once.
type BatchKind string

// The kinds of batches.
const (
	BatchImport BatchKind = "import"       // rows of a file become assessments
	BatchCopy   BatchKind = "copy_forward" // assessments of one year become drafts of another
	BatchSubmit BatchKind = "submit"
)

// Outcome is what a batch does with one row of its file, or one assessment it was given.
type Outcome string

// The outcomes of imports and copies, and those of submissions.
const (
	OutcomeCreate Outcome = "create"
	OutcomeUpdate Outcome = "update"
	OutcomeSkip   Outcome = "skip" // nothing to do; a problem says why, or it is as it was
	OutcomeFail   Outcome = "fail"

	OutcomeSubmitted Outcome = "submitted"
	OutcomeUnchanged Outcome = "unchanged" // the same was submitted before
	OutcomeRefused   Outcome = "refused"
)

// BatchOptions is what a caller asks of a batch. What a kind has no use for is zero.
type BatchOptions struct {
	Preview bool `json:"preview,omitempty"` // judge, and store nothing
	Atomic  bool `json:"atomic,omitempty"`  // import: one bad row refuses all

	FromYear  int  `json:"from_year,omitempty"`
	ToYear    int  `json:"to_year,omitempty"`
	Overwrite bool `json:"overwrite,omitempty"` // copy: drafts that are there are replaced

	Selection Selection `json:"selection"` // copy, submit: the assessments it is about

	Operator bool `json:"operator,omitempty"` // who asked is an operator inside the company
}

// Selection chooses assessments; what is zero does not narrow it.
type Selection struct {
	Year          *int         `json:"assessment_year,omitempty"`
	ResourceType  ResourceType `json:"resource_type,omitempty"`
	ResourceID    int64        `json:"resource_id,omitempty"`
	ClimateRegion string       `json:"climate_region,omitempty"`
	FarmCountry   string       `json:"farm_country,omitempty"`
	Status        Status       `json:"status,omitempty"`
	Ready         *bool        `json:"is_ready_for_submission,omitempty"`
	IDs           []int64      `json:"ids,omitempty"` // in order; nil: all that the rest selects
}

// Holds tells whether a selection chooses an assessment, its ids left aside.
func (s *Selection) Holds(a *Assessment) bool {
	return (s.Year == nil || a.Year != nil && *a.Year == *s.Year) &&
		(s.ResourceType == "" || s.ResourceType == a.ResourceType) && (s.ResourceID == 0 || s.ResourceID == a.ResourceID) &&
		(s.ClimateRegion == "" || s.ClimateRegion == a.ClimateRegion) && (s.FarmCountry == "" || s.FarmCountry == a.FarmCountry) &&
		(s.Status == "" || s.Status == a.Status) && (s.Ready == nil || *s.Ready == a.Ready)
}

// Judged is one row or assessment of a batch with what became of it.
type Judged struct {
	Index        int64 // in the file or the selection, from 0
	Outcome      Outcome
	SourceID     int64 // the assessment that was copied; 0: none
	AssessmentID int64 // the assessment made, changed, matched or submitted; 0: none
	ResourceType ResourceType
	ResourceID   int64
	Year         *int
	Version      int       // of a submission; 0: none
	Problems     []Finding // why it was skipped, failed or refused
}

// Batch is many assessments worked through at once, within a request or in the
// background. Its progress is stored together with what it writes, so that one that was
// broken off goes on where it stood.
type Batch struct {
	ID        int64
	CompanyID int64
	CreatedBy record.Ref
	CreatedAt time.Time
	UpdatedAt time.Time
	Kind      BatchKind
	Options   BatchOptions
	Object    string // where the file of an import lies
	Status    farm.ImportStatus
	Reason    string // of a failure
	// Checking is the first of the two passes of an atomic import, and the only one of a
	// preview: everything is judged and nothing stored.
	Checking bool
	Total    int64
	Done     int64 // judged in this pass
	After    int64 // the last assessment of the selection that was judged
	Tally    map[Outcome]int64
}

// NewBatch makes a batch that waits to be worked through.
func NewBatch(kind BatchKind, options BatchOptions, by record.Ref, object string, total int64, now time.Time) Batch {
	return Batch{
		CreatedBy: by, CreatedAt: now, UpdatedAt: now, Kind: kind, Options: options, Object: object, Status: farm.ImportQueued,
		Checking: options.Preview || options.Atomic, Total: total, Tally: map[Outcome]int64{},
	}
}

// Open reports whether there is still something to do.
func (b *Batch) Open() bool { return b.Status == farm.ImportQueued || b.Status == farm.ImportRunning }

// Failed counts what was refused.
func (b *Batch) Failed() int64 { return b.Tally[OutcomeFail] + b.Tally[OutcomeRefused] }

// Advance notes a judged piece, which ends at an assessment of the selection.
func (b *Batch) Advance(judged []Judged, after int64, now time.Time) {
	b.Status, b.UpdatedAt, b.After = farm.ImportRunning, now, after
	b.Done += int64(len(judged))
	b.Tally = maps.Clone(b.Tally) // a transaction may be run again
	if b.Tally == nil {
		b.Tally = map[Outcome]int64{}
	}
	for _, j := range judged {
		b.Tally[j.Outcome]++
	}
}

// EndPass is called when all is judged: it starts the second pass of an atomic import
// whose rows are all sound, and ends every other.
func (b *Batch) EndPass(now time.Time) {
	switch {
	case b.Checking && b.Options.Atomic && !b.Options.Preview && b.Failed() > 0:
		b.Fail("Rows are not valid, and the import was to take all or none: nothing was stored.", now)
	case b.Checking && !b.Options.Preview:
		b.Checking = false
		b.Restart(now)
	default:
		b.Status, b.UpdatedAt = farm.ImportCompleted, now
	}
}

// Restart begins the pass again.
func (b *Batch) Restart(now time.Time) {
	b.Done, b.After, b.Tally, b.UpdatedAt = 0, 0, map[Outcome]int64{}, now
}

// Fail breaks the batch off. What was stored before stays.
func (b *Batch) Fail(reason string, now time.Time) {
	b.Status, b.Reason, b.UpdatedAt = farm.ImportFailed, reason, now
}

// Problems returns the messages of a refusal by the paths that clients and files use:
// fertilizers[3].rate.unit. Their code is invalid.
func Problems(f fault.Fields) []Finding {
	var out []Finding
	problemsOf(&out, "", f)
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func problemsOf(out *[]Finding, prefix string, f fault.Fields) {
	for key, value := range f {
		path := prefix
		switch {
		case key == fault.NonField:
		case isIndex(key):
			path += "[" + key + "]"
		case prefix == "":
			path = key
		default:
			path += "." + key
		}
		switch v := value.(type) {
		case []string:
			for _, message := range v {
				*out = append(*out, Finding{"invalid", path, message})
			}
		case fault.Fields:
			problemsOf(out, path, v)
		}
	}
}

func isIndex(key string) bool {
	for _, r := range key {
		if r < '0' || r > '9' {
			return false
		}
	}
	return key != ""
}

// ProblemFields returns problems as the messages of a refusal, by their paths.
func ProblemFields(problems []Finding) fault.Fields {
	out := fault.Fields{}
	for _, p := range problems {
		path := p.Path
		if path == "" {
			path = fault.NonField
		}
		out.Add(path, p.Message)
	}
	return out
}

// Check returns what is wrong with what is asked of a batch.
func (o *BatchOptions) Check(kind BatchKind) fault.Fields {
	f := fault.Fields{}
	if kind == BatchCopy {
		for field, year := range map[string]int{"from_year": o.FromYear, "to_year": o.ToYear} {
			if year < 1 || year > yearsOfTheDraft {
				f.Add(field, fmt.Sprintf("A year from 1 to %d.", yearsOfTheDraft))
			}
		}
		if len(f) == 0 && o.FromYear == o.ToYear {
			f.Add("to_year", "Give another year than from_year.")
		}
	}
	if len(o.Selection.IDs) > MaxSelected {
		f.Addf("ids", "At most %d ids; use the other filters for more.", MaxSelected)
	}
	for _, id := range o.Selection.IDs {
		if id < 1 {
			f.Add("ids", "Ids are whole numbers above 0.")
			break
		}
	}
	slices.Sort(o.Selection.IDs)
	o.Selection.IDs = slices.Compact(o.Selection.IDs)
	return f
}

// MaxSelected is how many assessments may be named one by one.
const MaxSelected = 10_000
