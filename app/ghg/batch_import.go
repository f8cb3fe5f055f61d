package ghg

import (
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"tilth/app/batches"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

// Import imports assessments from a file, or hands a large one to the background. open is called once it is
// clear that the caller may import. Faults: Invalid with "file" where the file or its heading cannot be
// read, and with code bulk_validation_failed where an atomic import is refused; Limit; Unavailable.
func (b *Batches) Import(ctx context.Context, who access.Principal, options assessment.BatchOptions, open func() (io.Reader, error)) (BatchReport, error) {
	if err := b.Gate.Require(ctx, who, access.Assessments.Create, access.Assessments.Edit); err != nil {
		return BatchReport{}, err
	}
	body, err := open()
	if err != nil {
		return BatchReport{}, err
	}
	return batches.Take(ctx, b.inbox(), body, func(name string, file ports.Object) (BatchReport, error) {
		return b.take(ctx, who, options, name, file)
	})
}

// take counts the rows of a stored file, and imports them at once or queues them.
func (b *Batches) take(ctx context.Context, who access.Principal, options assessment.BatchOptions, name string, file ports.Object) (BatchReport, error) {
	if _, err := b.heading(file, options.Sheet); err != nil {
		return BatchReport{}, err
	}
	var total int64
	for _, err := range b.Files.Rows(file, options.Sheet) {
		if err != nil {
			return BatchReport{}, err
		}
		total++
	}
	if total == 0 {
		return BatchReport{}, fault.Field("file", "The file holds no rows below its heading.")
	}
	some := b.newBatch(who, assessment.BatchImport, options, name, total)
	if total <= b.maxAtOnce() {
		return b.atOnce(ctx, some, b.workOf(who, some, file, MaxAtOnce))
	}
	if err := b.inbox().Sweep(ctx); err != nil {
		return BatchReport{}, err
	}
	return b.queue(ctx, who, some)
}

// heading parses the first line of a file. Its faults are those of the file.
func (b *Batches) heading(file ports.Object, sheet string) (*assessment.Heading, error) {
	names, err := b.Files.Heading(file, sheet)
	if err != nil {
		return nil, err
	}
	heading, wrong := b.Assessing.Table.ReadHeading(names)
	f := fault.Fields{}
	f.Nest("file", wrong)
	return heading, f.Err()
}

// batchImport turns the rows of a file into assessments.
type batchImport struct {
	bulk    *Batches
	who     access.Principal
	writer  Writer
	some    assessment.Batch
	file    ports.Object
	limit   int
	heading *assessment.Heading
	next    func() (ports.TableLine, error, bool)
	stop    func()
	index   int64 // of the first row of the piece
	rows    []assessment.FileRow
	seen    map[string]int64 // the rows of earlier pieces, by the assessment that each wrote
	fresh   map[string]int64 // and those of this piece
}

func (m *batchImport) After() int64 { return 0 }
func (m *batchImport) Alone() bool  { return false }
func (m *batchImport) Close() {
	if m.stop != nil {
		m.stop()
	}
}

// open reads the heading, and passes over the rows that were stored before.
func (m *batchImport) open() error {
	heading, err := m.bulk.heading(m.file, m.some.Options.Sheet)
	if err != nil {
		return err
	}
	m.heading = heading
	m.next, m.stop = iter.Pull2(m.bulk.Files.Rows(m.file, m.some.Options.Sheet))
	for m.index < m.some.Done {
		if _, err, more := m.next(); err != nil || !more {
			return err
		}
		m.index++
	}
	return nil
}

func (m *batchImport) Next(ctx context.Context) (bool, error) {
	if m.heading == nil {
		if err := m.open(); err != nil {
			return false, err
		}
	}
	m.writer = m.bulk.Assessing.Writer(ctx, m.who)
	maps.Copy(m.seen, m.fresh)
	m.index += int64(len(m.rows))
	m.rows = m.rows[:0]
	for len(m.rows) < m.limit {
		line, err, more := m.next()
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		row := m.heading.Row(line.Texts)
		row.Line = line.Number
		m.rows = append(m.rows, row)
	}
	return len(m.rows) > 0, nil
}

func (m *batchImport) Settle(ctx context.Context, tx ports.Repos) ([]assessment.Judged, error) {
	scope := m.who.Scope(false)
	m.fresh = map[string]int64{}
	if err := tx.Assessments.Alone(ctx, scope); err != nil {
		return nil, err
	}
	rows := slices.Clone(m.rows)
	for i := range rows { // the transaction may be run again, so the rows as read are left unchanged
		errs := fault.Fields{}
		errs.Merge(rows[i].Errors)
		rows[i].Errors = errs
	}
	if err := m.resolve(ctx, tx, rows); err != nil {
		return nil, err
	}
	matched, err := m.match(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	judged := make([]assessment.Judged, len(rows))
	var changes []AssessmentChange
	var of []int
	for i := range rows {
		row := &rows[i]
		judged[i] = assessment.Judged{Index: m.index + int64(i), Line: row.Line, AssessmentID: row.ID, ResourceType: row.ResourceType, ResourceID: row.ResourceID, Year: row.Year()}
		change, sound := m.change(row, matched, m.index+int64(i))
		if !sound {
			judged[i].Outcome, judged[i].Problems = batch.Fail, assessment.Problems(row.Errors)
			continue
		}
		judged[i].AssessmentID = row.ID
		changes, of = append(changes, change), append(of, i)
	}
	return m.bulk.conclude(ctx, tx, m.writer, judged, changes, of)
}

// resolve finds the farms and fields that rows name by their external id or name.
func (m *batchImport) resolve(ctx context.Context, tx ports.Repos, rows []assessment.FileRow) error {
	type way struct {
		of assessment.ResourceType
		by ports.ResourceKey
	}
	asked := map[way][]string{}
	wayOf := func(row *assessment.FileRow) (way, string, string) {
		if row.ExternalID != "" {
			return way{row.ResourceType, ports.ByExternalID}, row.ExternalID, assessment.ColumnExternalID
		}
		return way{row.ResourceType, ports.ByName}, row.ResourceName, assessment.ColumnResourceName
	}
	named := func(row *assessment.FileRow) bool {
		return len(row.Errors) == 0 && row.ResourceID == 0 && row.ResourceType != "" && (row.ExternalID != "" || row.ResourceName != "")
	}
	for i := range rows {
		if named(&rows[i]) {
			w, key, _ := wayOf(&rows[i])
			asked[w] = append(asked[w], key)
		}
	}
	found := map[way]map[string][]ports.Resource{}
	for w, keys := range asked {
		slices.Sort(keys)
		var err error
		if found[w], err = tx.Assessments.Resources(ctx, m.who.Scope(false), w.of, w.by, slices.Compact(keys)); err != nil {
			return err
		}
	}
	for i := range rows {
		row := &rows[i]
		if !named(row) {
			m.unnamed(row)
			continue
		}
		w, key, column := wayOf(row)
		switch list := found[w][key]; len(list) {
		case 0:
			row.Errors.Addf(column, "No %s of your company has the %s %q.", w.of, word(w.by), key)
		case 1:
			row.ResourceID = list[0].ID
		default:
			row.Errors.Addf(column, "%d %ss of your company have the %s %q; give resource_id.", len(list), w.of, word(w.by), key)
		}
	}
	return nil
}

func word(by ports.ResourceKey) string {
	if by == ports.ByExternalID {
		return "external id"
	}
	return "name"
}

// unnamed adds an error to a row that names no farm or field, unless it has the id of its assessment and needs none.
func (m *batchImport) unnamed(row *assessment.FileRow) {
	switch {
	case len(row.Errors) > 0:
	case row.ResourceType == "" && (row.ResourceID != 0 || row.ID == 0):
		row.Errors.Add(assessment.ColumnResourceType, "Say whether it is a farm or a field.")
	case row.ResourceID == 0 && row.ID == 0:
		row.Errors.Add(assessment.ColumnResourceID, "Give resource_id, resource_external_id or resource_name.")
	}
}

// match finds the assessments that rows are for: by their id, or else by farm or field and year. It
// fills in the ids, and returns the assessments locked.
func (m *batchImport) match(ctx context.Context, tx ports.Repos, rows []assessment.FileRow) (map[int64]Whole, error) {
	type yearOf struct {
		of   assessment.ResourceType
		year int
	}
	scope := m.who.Scope(false)
	asked := map[yearOf][]int64{}
	for i := range rows {
		if row := &rows[i]; len(row.Errors) == 0 && row.ID == 0 {
			if row.Year() == nil {
				row.Errors.Add("assessment_year", "Give the year, by which the assessment is found again, or the id of the assessment.")
				continue
			}
			key := yearOf{row.ResourceType, *row.Year()}
			asked[key] = append(asked[key], row.ResourceID)
		}
	}
	found := map[yearOf]map[int64][]int64{}
	for key, ids := range asked {
		var err error
		if found[key], err = tx.Assessments.OfYear(ctx, scope, key.of, key.year, ids); err != nil {
			return nil, err
		}
	}
	var ids []int64
	for i := range rows {
		row := &rows[i]
		if len(row.Errors) == 0 && row.ID == 0 {
			switch list := found[yearOf{row.ResourceType, *row.Year()}][row.ResourceID]; {
			case len(list) > 1:
				row.Errors.Addf("assessment_year",
					"The %s has %d assessments of this year; give the id of the right one.", row.ResourceType, len(list))
			case len(list) == 1:
				row.ID = list[0]
			}
		}
		if row.ID != 0 {
			ids = append(ids, row.ID)
		}
	}
	slices.Sort(ids)
	whole, err := tx.Assessments.Whole(ctx, scope, slices.Compact(ids))
	out := make(map[int64]Whole, len(whole))
	for _, w := range whole {
		out[w.ID] = w
	}
	return out, err
}

// change returns the change that a row asks for; false where it is refused.
func (m *batchImport) change(row *assessment.FileRow, matched map[int64]Whole, index int64) (AssessmentChange, bool) {
	var out AssessmentChange
	if whole, there := matched[row.ID]; there && m.heading.Same(row, &whole.Assessment, whole.Sheet) {
		out.Same, row.ResourceType, row.ResourceID = true, whole.ResourceType, whole.ResourceID
		row.Errors = fault.Fields{} // the assessment already stored what a file cannot hold, and keeps it
	}
	if len(row.Errors) > 0 {
		return AssessmentChange{}, false
	}
	var before *assessment.Assessment
	var sheet assessment.Sheet
	key := string(row.ResourceType) + ":" + strconv.FormatInt(row.ResourceID, 10)
	if year := row.Year(); year != nil {
		key += ":" + strconv.Itoa(*year)
	}
	if row.ID != 0 {
		whole, there := matched[row.ID]
		switch {
		case !there:
			row.Errors.Addf(assessment.ColumnID, "No assessment of your company has the id %d; leave it out for a new one.", row.ID)
		case out.Same:
		case m.some.Done > 0 && !whole.UpdatedAt.Before(m.some.CreatedAt):
			row.Errors.Add(fault.NonField, "The assessment was written after the import began; an earlier row may be for the same one.")
		}
		if row.ResourceID == 0 {
			row.ResourceType, row.ResourceID = whole.ResourceType, whole.ResourceID
		}
		out.Before, before, sheet = &whole, &whole.Assessment, whole.Sheet
		key = "id:" + strconv.FormatInt(row.ID, 10)
	}
	for _, known := range []map[string]int64{m.seen, m.fresh} {
		if first, twice := known[key]; twice {
			row.Errors.Addf(fault.NonField, "Row %d of the file is for the same assessment.", first)
		}
	}
	if len(row.Errors) > 0 {
		return out, false
	}
	m.fresh[key] = index
	if out.Same {
		return out, true
	}
	out.Draft.Record, out.Draft.Sections, out.Draft.Declarations = m.heading.Over(row, before, sheet)
	out.Draft.Declared = true
	return out, true
}
