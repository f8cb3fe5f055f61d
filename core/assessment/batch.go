package assessment

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/record"
)

// The kinds of batches.
const (
	BatchImport batch.Kind = "import"       // rows of a file become assessments
	BatchCopy   batch.Kind = "copy_forward" // assessments of one year become drafts of another
	BatchSubmit batch.Kind = "submit"
)

// BatchOptions are a caller's options for a batch. Those that a kind does not use are zero.
type BatchOptions struct {
	Preview bool `json:"preview,omitempty"` // judge, and store nothing
	Atomic  bool `json:"atomic,omitempty"`  // import: one bad row refuses all

	Sheet string `json:"sheet,omitempty"` // import: of a workbook; empty: the first

	FromYear  int  `json:"from_year,omitempty"`
	ToYear    int  `json:"to_year,omitempty"`
	Overwrite bool `json:"overwrite,omitempty"` // copy: existing drafts are replaced

	Selection Selection `json:"selection"` // copy, submit: the assessments it is about

	Operator bool  `json:"operator,omitempty"` // the caller is an operator inside the company
	KeyID    int64 `json:"key_id,omitempty"`   // the API key that was used; 0: a token
}

// Mode implements batch.Options.
func (o BatchOptions) Mode() batch.Mode { return batch.Mode{Preview: o.Preview, Atomic: o.Atomic} }

// Selection chooses assessments; members that are zero do not narrow it.
type Selection struct {
	Year          *int         `json:"assessment_year,omitempty"`
	ResourceType  ResourceType `json:"resource_type,omitempty"`
	ResourceID    int64        `json:"resource_id,omitempty"`
	ClimateRegion string       `json:"climate_region,omitempty"`
	FarmCountry   string       `json:"farm_country,omitempty"`
	Status        Status       `json:"status,omitempty"`
	Ready         *bool        `json:"is_ready_for_submission,omitempty"`
	IDs           []int64      `json:"ids,omitempty"`  // in order, each once; nil: all that the rest selects
	Sent          []int64      `json:"sent,omitempty"` // submit: as they were sent, where that differs
}

// Places returns the places at which an id was sent, from 0; index alone where the ids were sent in order.
func (s *Selection) Places(id, index int64) []int64 {
	if s.Sent == nil {
		return []int64{index}
	}
	var out []int64
	for i, sent := range s.Sent {
		if sent == id {
			out = append(out, int64(i))
		}
	}
	return out
}

// Total returns the number of ids that were sent.
func (s *Selection) Total() int64 { return int64(max(len(s.IDs), len(s.Sent))) }

// Holds reports whether a selection matches an assessment, its ids aside.
func (s *Selection) Holds(a *Assessment) bool {
	return (s.Year == nil || a.Year != nil && *a.Year == *s.Year) &&
		(s.ResourceType == "" || s.ResourceType == a.ResourceType) && (s.ResourceID == 0 || s.ResourceID == a.ResourceID) &&
		(s.ClimateRegion == "" || s.ClimateRegion == a.ClimateRegion) && (s.FarmCountry == "" || s.FarmCountry == a.FarmCountry) &&
		(s.Status == "" || s.Status == a.Status) && (s.Ready == nil || *s.Ready == a.Ready)
}

// Judged is one row or assessment of a batch with its outcome.
type Judged struct {
	Index        int64 // in the file or the selection, from 0
	Line         int64 // in the table, as a spreadsheet numbers it; 0: there is none
	Outcome      batch.Outcome
	SourceID     int64 // the assessment that was copied; 0: none
	AssessmentID int64 // the assessment made, changed, matched or submitted; 0: none
	ResourceType ResourceType
	ResourceID   int64
	Year         *int
	Version      int       // of a submission; 0: none
	Problems     []Finding // why it was skipped, failed or refused
}

// Judgement implements batch.Judged.
func (j Judged) Judgement() (batch.Outcome, fault.Fields) {
	return j.Outcome, ProblemFields(j.Problems)
}

// Batch is many assessments processed together.
type Batch = batch.Batch[BatchOptions, Judged]

// NewBatch returns a batch that waits to be processed.
func NewBatch(kind batch.Kind, options BatchOptions, by record.Ref, object string, total int64, now time.Time) Batch {
	b := batch.New[BatchOptions, Judged](options, by, total, now)
	b.Kind, b.Object = kind, object
	return b
}

// Problems returns the messages of a refusal, code invalid, by the paths of clients and files: fertilizers[3].rate.unit.
func Problems(f fault.Fields) []Finding {
	var out []Finding
	problemsOf(&out, "", f)
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func problemsOf(out *[]Finding, prefix string, f fault.Fields) {
	for key, value := range f {
		path := fault.Path(prefix, key)
		for _, message := range fault.Messages(value) {
			*out = append(*out, Finding{"invalid", path, message})
		}
		if below, ok := value.(fault.Fields); ok {
			problemsOf(out, path, below)
		}
	}
}

// ProblemFields returns problems as the messages of a refusal, by their paths.
func ProblemFields(problems []Finding) fault.Fields {
	out := fault.Fields{}
	for _, p := range problems {
		out.Add(cmp.Or(p.Path, fault.NonField), p.Message)
	}
	return out
}

// Check returns what is wrong with the options of a batch.
func (o *BatchOptions) Check(kind batch.Kind) fault.Fields {
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
	if slices.ContainsFunc(o.Selection.IDs, func(id int64) bool { return id < 1 }) {
		f.Add("ids", "Ids are whole numbers above 0.")
	}
	ids := slices.Sorted(slices.Values(o.Selection.IDs))
	if ids = slices.Compact(ids); kind == BatchSubmit && !slices.Equal(ids, o.Selection.IDs) {
		o.Selection.Sent = o.Selection.IDs
	}
	if o.Selection.IDs != nil {
		o.Selection.IDs = append([]int64{}, ids...)
	}
	return f
}

// MaxSelected is the maximum number of assessments that may be named one by one.
const MaxSelected = 10_000
