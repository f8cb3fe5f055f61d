package labtable

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/sample"
)

// Table is a table as it was read.
type Table struct {
	Columns []Column
	Rows    []Row
}

// Row is what a row states about the sample with its label.
type Row struct {
	Line    int64 // in the table, as a spreadsheet numbers it; 0: there is none
	Label   string
	Says    Says
	Errors  fault.Fields // what cannot be read
	Remarks []string     // what a rule made of it
	// Instead is the place of the row with the same label that stands for this one; -1: none does.
	Instead int
}

// Says holds the statements of a row; nil and empty ones leave what is known unchanged.
type Says struct {
	Status      sample.Status
	Taken       bool // it was collected, whatever else is known about that
	Notes       string
	At          *geo.Position
	AccuracyM   *float64
	CollectedAt *time.Time
	CollectedBy string
	SOCPct      *float64
	SOCLimitPct *float64 // the result is below it, and SOCPct is half of it
	BulkDensity *float64
	Fragments   *float64
	Method, Ref string
	AnalysedAt  *time.Time
}

// Options state how a table is read.
type Options struct {
	Commas bool // a comma may be the decimal sign, because none separates the columns
	// SOCLimitPct is the limit of results that are "<LOD" in a table that does not state it; nil: not known.
	SOCLimitPct *float64
}

// Read reads the rows of a table under its columns.
//
// Faults: Invalid with "file" where decimals follow commas in one place and points in another, because 1,234 may
// then be either.
func Read(columns []Column, rows [][]string, options Options) (Table, error) {
	out := Table{Columns: columns, Rows: make([]Row, len(rows))}
	if options.Commas {
		if err := oneDecimalSign(columns, rows); err != nil {
			return Table{}, err
		}
	}
	for i, cells := range rows {
		r := reader{cells: map[string]string{}, units: map[string]Unit{}, options: options, row: Row{Errors: fault.Fields{}, Instead: -1}}
		for c, column := range columns {
			if text := cells[c]; column.Name != "" && !slices.Contains(nothing, strings.ToLower(text)) {
				r.cells[column.Name], r.units[column.Name] = text, column.Unit
			}
		}
		out.Rows[i] = r.read()
	}
	return out, nil
}

// nothing lists how tables write a missing value.
var nothing = []string{"", "-", "–", "—", "n.a.", "n/a", "na", "null"}

// measured are the columns of numbers.
var measured = []string{"lon", "lat", "accuracy_m", socPct, socLimitPct, bulkDensity, fragmentsPct}

func oneDecimalSign(columns []Column, rows [][]string) error {
	seen := map[string]string{}
	for i, cells := range rows {
		for c, column := range columns {
			if !slices.Contains(measured, column.Name) {
				continue
			}
			for _, sign := range []string{",", "."} {
				if text := cells[c]; strings.Contains(text, sign) && strings.ContainsAny(text, "0123456789") && seen[sign] == "" {
					seen[sign] = fmt.Sprintf("%s in row %d", text, i)
				}
			}
		}
	}
	if seen[","] == "" || seen["."] == "" {
		return nil
	}
	return fault.Field("file", fmt.Sprintf("Both commas and points are used for decimals (%s; %s): 1,234 could be either. Use one of them, and no thousands separator.", seen[","], seen["."]))
}

// reader reads a row.
type reader struct {
	cells   map[string]string
	units   map[string]Unit
	options Options
	row     Row
}

func (r *reader) read() Row {
	said := &r.row.Says
	r.row.Label = r.cells["label"]
	if r.row.Label == "" {
		r.row.Errors.Add("label", "This field may not be blank.")
	}
	said.Status, said.Notes, said.CollectedBy = sample.Status(r.cells["status"]), r.cells["notes"], r.cells["collected_by"]
	said.Method, said.Ref = r.cells["method"], r.cells["lab_ref"]
	lon, lat := r.number("lon"), r.number("lat")
	if (lon == nil) != (lat == nil) {
		r.row.Errors.Add("lon", "Give lon and lat, or neither.")
	} else if lon != nil {
		said.At = &geo.Position{X: *lon, Y: *lat}
	}
	said.AccuracyM, said.BulkDensity = r.number("accuracy_m"), r.number(bulkDensity)
	said.CollectedAt, said.AnalysedAt = r.moment("collected_at"), r.moment("analysed_at")
	r.carbon()
	r.fragments()
	return r.row
}

// carbon reads the result of soil organic carbon. A result below the laboratory's limit counts as half of the limit.
func (r *reader) carbon() {
	own := r.number(socLimitPct)
	if own == nil {
		own = r.options.SOCLimitPct
	}
	limit, below := r.limit(socPct)
	if !below {
		r.row.Says.SOCPct = r.number(socPct)
		if soc := r.row.Says.SOCPct; soc == nil || own == nil || *soc >= *own {
			return
		}
		limit = own
	}
	if limit == nil {
		limit = own
	}
	if limit == nil {
		r.row.Errors.Addf(socPct, "%q states no limit. Fix: state the limit in a column soc_limit_pct, or in soc_limit_pct of the import.", r.cells[socPct])
		return
	}
	r.row.Says.SOCPct, r.row.Says.SOCLimitPct = r.half(socPct, *limit), limit
}

// fragments reads the share of coarse fragments; a share below a limit counts as half of the limit too.
func (r *reader) fragments() {
	limit, below := r.limit(fragmentsPct)
	switch {
	case !below:
		r.row.Says.Fragments = r.number(fragmentsPct)
	case limit == nil:
		r.row.Errors.Addf(fragmentsPct, "%q states no limit; write the number after <, or leave the cell empty.", r.cells[fragmentsPct])
	default:
		r.row.Says.Fragments = r.half(fragmentsPct, *limit)
	}
}

func (r *reader) half(name string, limit float64) *float64 {
	half := limit / 2
	r.row.Remarks = append(r.row.Remarks, fmt.Sprintf("%s: %s is below the limit of %g %%; half of the limit is used, %g %%.", name, r.cells[name], limit, half))
	return &half
}

// limits lists how tables write that a result is below a limit without stating the number.
var limits = []string{"<", "<lod", "<loq", "<lq", "<ld", "<dl", "<mdl", "<rl", "bdl", "bql", "blq", "<bg", "<ng"}

// limit returns the limit that a result is below, in the unit of the column's name; nil where the cell does not
// state it.
func (r *reader) limit(name string) (limit *float64, below bool) {
	text := r.cells[name]
	if slices.Contains(limits, strings.ToLower(strings.ReplaceAll(text, " ", ""))) {
		return nil, true
	}
	rest, below := strings.CutPrefix(text, "<")
	if !below {
		return nil, false
	}
	if v, ok := r.parse(name, rest); ok {
		return &v, true
	}
	return nil, false // what follows < is no number
}

// number reads a cell in the unit of its column's name; nil where it is empty or no number.
func (r *reader) number(name string) *float64 {
	text := r.cells[name]
	if text == "" {
		return nil
	}
	v, ok := r.parse(name, text)
	switch spelling := strings.ToLower(strings.Trim(text, ".")); {
	case ok:
		return &v
	case spelling == "n.d" || spelling == "nd":
		r.row.Errors.Addf(name, "%q may mean not detected or not determined. Write <LOD, or leave the cell empty.", text)
	default:
		r.row.Errors.Addf(name, "%q is not a number; use a point for decimals, or a comma where commas do not separate the columns.", text)
	}
	return nil
}

func (r *reader) parse(name, text string) (v float64, ok bool) {
	text = strings.TrimSpace(text)
	if r.options.Commas && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if u := r.units[name]; u.Over != 0 {
		v = v * u.Times / u.Over
	}
	return v, err == nil && math.Abs(v) <= 1e300
}

// moment reads a time, or a civil date, which counts as the beginning of that day in UTC.
func (r *reader) moment(name string) *time.Time {
	text := r.cells[name]
	if text == "" {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2.1.2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			t = t.UTC()
			return &t
		}
	}
	r.row.Errors.Addf(name, "%q is neither a time such as 2026-03-01T12:00:00Z nor a date such as 2026-03-01 or 1.3.2026.", text)
	return nil
}
