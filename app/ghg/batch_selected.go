package ghg

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

// batchSelection walks through the ids of a selection.
type batchSelection struct {
	bulk    *Batches
	who     access.Principal
	options assessment.BatchOptions
	at      int64 // the last id of the piece before
	index   int64 // of the first id of the piece
	limit   int
	ids     []int64 // the piece
}

func (s *batchSelection) Next(ctx context.Context) (bool, error) {
	s.index += int64(len(s.ids))
	if named := s.options.Selection.IDs; named != nil {
		from, _ := slices.BinarySearch(named, s.at+1)
		s.ids = named[from:min(from+s.limit, len(named))]
	} else if err := s.bulk.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		s.ids, err = tx.Assessments.IDsAfter(ctx, s.who.Scope(false), queryOf(s.options.Selection), s.at, s.limit)
		return err
	}); err != nil {
		return false, err
	}
	if len(s.ids) == 0 {
		return false, nil
	}
	s.at = s.ids[len(s.ids)-1]
	return true, nil
}

func (s *batchSelection) After() int64 { return s.at }
func (s *batchSelection) Alone() bool  { return false }
func (s *batchSelection) Close()       {}

// noSuch returns the problem of a named id that is none of the company's.
func noSuch() []assessment.Finding {
	return []assessment.Finding{{Code: "not_found", Path: "id", Message: "No assessment of your company has this id."}}
}

// batchSubmission submits the selected assessments.
type batchSubmission struct{ batchSelection }

func (s *batchSubmission) Alone() bool { return true }

// Settle submits each assessment once; an id that was sent several times is answered at each of its places.
func (s *batchSubmission) Settle(ctx context.Context, _ ports.Repos) ([]assessment.Judged, error) {
	out := make([]assessment.Judged, 0, len(s.ids))
	apart := idempotency.Apart(ctx) // a repeat of the request finds the submitted assessments unchanged
	for i, id := range s.ids {
		j := assessment.Judged{AssessmentID: id, Outcome: batch.Submitted}
		done, err := s.bulk.Assessing.Submit(apart, s.who, id)
		switch known, isFault := fault.As(err); {
		case err == nil:
			if j.Version = done.Version.Number; done.Unchanged {
				j.Outcome = batch.Unchanged
			}
		case isFault && known.Kind == fault.NotFound:
			j.Outcome, j.Problems = batch.Refused, noSuch()
		case isFault && (known.Kind == fault.Invalid || known.Kind == fault.Conflict || engineAway(known)):
			j.Outcome, j.Problems = batch.Refused, refusedBy(known)
		default:
			return nil, err
		}
		for n, place := range s.options.Selection.Places(id, s.index+int64(i)) {
			if j.Index = place; n > 0 && j.Outcome == batch.Submitted {
				j.Outcome = batch.Unchanged
			}
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b assessment.Judged) int { return cmp.Compare(a.Index, b.Index) })
	return out, nil
}

// engineAway reports whether the engine is the cause of a failure: the other assessments go on, and this one can be
// submitted again. An unavailable database fails the piece, which the job tries again.
func engineAway(known *fault.Error) bool {
	return known.Kind == fault.Unavailable && strings.HasPrefix(known.Code, "engine_")
}

// refusedBy returns the reasons why a submission was refused.
func refusedBy(known *fault.Error) []assessment.Finding {
	violations, _ := known.Details["violations"].([]map[string]string)
	out := make([]assessment.Finding, 0, len(violations))
	for _, v := range violations {
		out = append(out, assessment.Finding{Code: v["code"], Path: v["path"], Message: v["message"]})
	}
	if len(out) == 0 {
		out = append(out, assessment.Finding{Code: known.Code, Message: known.Message})
	}
	return out
}

// copyTarget is the assessment of a farm or field for a year.
type copyTarget struct {
	of   assessment.ResourceType
	id   int64
	year int
}

// batchCopy makes drafts for another year.
type batchCopy struct {
	batchSelection
	writer  Writer
	seen    map[copyTarget]bool // what was made in earlier pieces
	fresh   []copyTarget        // and in this piece
	resumed bool                // earlier pieces were done by a worker that was interrupted
	since   time.Time           // when the batch was asked for
}

func (c *batchCopy) Next(ctx context.Context) (bool, error) {
	for _, t := range c.fresh {
		c.seen[t] = true
	}
	c.fresh, c.writer = nil, c.bulk.Assessing.Writer(ctx, c.who)
	return c.batchSelection.Next(ctx)
}

func (c *batchCopy) Settle(ctx context.Context, tx ports.Repos) ([]assessment.Judged, error) {
	scope := c.who.Scope(false)
	c.fresh = nil
	if err := tx.Assessments.Alone(ctx, scope); err != nil {
		return nil, err
	}
	sources, err := tx.Assessments.Whole(ctx, scope, c.ids)
	if err != nil {
		return nil, err
	}
	there, err := c.targets(ctx, tx, sources)
	if err != nil {
		return nil, err
	}
	judged := make([]assessment.Judged, len(c.ids))
	var changes []AssessmentChange
	var of []int
	for i, id := range c.ids {
		j := assessment.Judged{Index: c.index + int64(i), SourceID: id, Year: &c.options.ToYear}
		at, found := slices.BinarySearchFunc(sources, id, func(s Whole, id int64) int { return int(min(max(s.ID-id, -1), 1)) })
		if !found {
			j.Outcome, j.Problems = batch.Fail, noSuch()
			judged[i] = j
			continue
		}
		change, wanted := c.change(&j, sources[at], there)
		if judged[i] = j; wanted {
			changes, of = append(changes, change), append(of, i)
		}
	}
	return c.bulk.conclude(ctx, tx, c.writer, judged, changes, of)
}

// targets returns the assessments that the farms and fields of sources have for the other year;
// those that may be replaced include their sections.
func (c *batchCopy) targets(ctx context.Context, tx ports.Repos, sources []Whole) (map[copyTarget][]Whole, error) {
	byType := map[assessment.ResourceType][]int64{}
	for _, s := range sources {
		byType[s.ResourceType] = append(byType[s.ResourceType], s.ResourceID)
	}
	out := map[copyTarget][]Whole{}
	for _, of := range assessment.ResourceTypes {
		found, err := tx.Assessments.OfYear(ctx, c.who.Scope(false), of, c.options.ToYear, byType[of])
		if err != nil {
			return nil, err
		}
		var ids []int64
		for _, list := range found {
			ids = append(ids, list...)
		}
		slices.Sort(ids)
		whole, err := tx.Assessments.Whole(ctx, c.who.Scope(false), ids)
		if err != nil {
			return nil, err
		}
		for _, w := range whole {
			t := copyTarget{of, w.ResourceID, c.options.ToYear}
			out[t] = append(out[t], w)
		}
	}
	return out, nil
}

// change decides on one source: it returns the change to make, or records why there is none.
func (c *batchCopy) change(j *assessment.Judged, source Whole, there map[copyTarget][]Whole) (AssessmentChange, bool) {
	j.ResourceType, j.ResourceID = source.ResourceType, source.ResourceID
	skip := func(code, message string) (AssessmentChange, bool) {
		j.Outcome, j.Problems = batch.Skip, []assessment.Finding{{Code: code, Message: message}}
		return AssessmentChange{}, false
	}
	if !c.options.Selection.Holds(&source.Assessment) {
		return skip("not_selected", "This assessment is not for from_year, or the other filters leave it out.")
	}
	to := copyTarget{source.ResourceType, source.ResourceID, c.options.ToYear}
	have := there[to]
	if len(have) > 0 {
		j.AssessmentID = have[0].ID
	}
	made := c.seen[to] || slices.Contains(c.fresh, to) || c.resumed && len(have) == 1 && !have[0].UpdatedAt.Before(c.since)
	switch {
	case made:
		return skip("made_already", "Another assessment of the same farm or field was copied in this call.")
	case len(have) > 0 && !c.options.Overwrite:
		return skip("exists", "The farm or field has an assessment of that year already.")
	case len(have) > 1:
		return skip("several_exist", "The farm or field has several assessments of that year; it is not clear which of them to overwrite.")
	case len(have) == 1 && have[0].Status == assessment.Submitted:
		return skip("submitted_exists", "The assessment of that year was submitted; a copy does not overwrite it.")
	}
	c.fresh = append(c.fresh, to)
	table := c.bulk.Assessing.Table
	record, sheet := table.Carry(&source.Assessment, source.Sheet, c.options.ToYear)
	draft := AssessmentDraft{Record: record, Sections: map[string]any{}, Declared: true, Declarations: declared(record.Declarations)}
	if len(have) == 0 {
		draft.Sections = table.Entered(sheet)
		return AssessmentChange{Draft: draft}, true
	}
	before := have[0]
	for key, rows := range sheet { // an item keeps the id of the existing item in the same place
		for i := range min(len(rows), len(before.Sheet[key])) {
			rows[i].ID = before.Sheet[key][i].ID
		}
	}
	for _, section := range table.Sections() {
		draft.Sections[section.Key] = nil
	}
	for key, entered := range table.Entered(sheet) {
		draft.Sections[key] = entered
	}
	return AssessmentChange{Before: &before, Draft: draft}, true
}

func declared(d assessment.Declarations) map[string]any {
	out := make(map[string]any, len(d))
	for key, word := range d {
		out[key] = word
	}
	return out
}

// conclude settles changes; of holds the index in judged that each belongs to.
func (b *Batches) conclude(ctx context.Context, tx ports.Repos, who Writer, judged []assessment.Judged, changes []AssessmentChange, of []int) ([]assessment.Judged, error) {
	settled, err := b.Assessing.Settle(ctx, tx, who, changes)
	if err != nil {
		return nil, err
	}
	for at, s := range settled {
		concludeOne(&judged[of[at]], s)
	}
	return judged, nil
}

func concludeOne(j *assessment.Judged, s SettledAssessment) {
	switch before := j.AssessmentID; {
	case len(s.Errors) > 0:
		j.Outcome, j.Problems = batch.Fail, assessment.Problems(s.Errors)
		return
	case s.Unchanged:
		j.Outcome = batch.Skip
	case before != 0:
		j.Outcome = batch.Update
	default:
		j.Outcome = batch.Create
	}
	j.AssessmentID, j.ResourceType, j.ResourceID, j.Year = s.ID, s.ResourceType, s.ResourceID, s.Year
}
