package exchange

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"tilth/core/credit"
	"tilth/core/list"
	"tilth/core/vegetation"
)

// Sheets writes the tables that people open in a spreadsheet. It implements ports.Sheets.
type Sheets struct{}

var seriesColumns = []string{
	"date", "value", "status", "reason", "coverage", "n_valid", "n_polygon", "median", "std", "min", "max", "p10", "p90", "items", "mask", "dataset", "sensor", "adjusted", "not_adjusted",
}

// SeriesSheet implements ports.Sheets: accepted and rejected dates in one list, by date. A rejected
// date has its reason and neither a value nor statistics.
func (Sheets) SeriesSheet(w io.Writer, format string, s vegetation.Series) error {
	out, err := newTable(w, format, "Series", seriesColumns)
	if err != nil {
		return err
	}
	o, r := s.Observations, s.Rejected
	for len(o)+len(r) > 0 {
		if len(r) == 0 || len(o) > 0 && !r[0].Date.Before(o[0].Date) {
			_ = out.line(slices.Concat(accepted(o[0]), []any{s.Mask.String(), s.Dataset.String()}, sensorOf(o[0]))...) // end returns the first error
			o = o[1:]
		} else {
			_ = out.line(append(rejected(r[0]), s.Mask.String(), s.Dataset.String(), nil, nil, nil)...)
			r = r[1:]
		}
	}
	return out.end()
}

func accepted(o vegetation.Observation) []any {
	return []any{
		day(o.Date), o.Value, "accepted", "", o.Coverage, o.NValid, o.NPolygon,
		o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, strings.Join(o.Items, " "),
	}
}

// sensorOf returns the sensor of a harmonised observation, what was adjusted and what was not.
func sensorOf(o vegetation.Observation) []any {
	if o.Sensor == nil {
		return []any{nil, nil, nil}
	}
	adjusted := list.Map(o.Sensor.Adjusted, func(a vegetation.Adjustment) string { return fmt.Sprintf("%s:%v:%v", a.Band, a.Slope, a.Offset) })
	return []any{string(o.Sensor.Dataset) + " " + o.Sensor.Platform, strings.Join(adjusted, " "), strings.Join(o.Sensor.NotAdjusted, " ")}
}

func rejected(r vegetation.Rejection) []any {
	return []any{
		day(r.Date), "", "rejected", string(r.Reason), r.Coverage, r.NValid, r.NPolygon,
		nil, nil, nil, nil, nil, nil, strings.Join(r.Items, " "),
	}
}

var statementColumns = []string{
	"line", "created_at", "transaction", "kind", "product", "field", "order", "refund_of", "amount", "balance", "held", "available", "note",
}

// StatementSheet implements ports.Sheets. Amounts are credits with two decimals; balance, held
// and available are those after the line.
func (Sheets) StatementSheet(w io.Writer, format string, opening credit.Wallet, lines iter.Seq2[credit.StatementLine, error]) error {
	out, err := newTable(w, format, "Statement", statementColumns)
	if err != nil {
		return err
	}
	_ = out.line(stand("opening balance", opening)...) // end returns the first error
	last := opening
	for l, err := range lines {
		if err != nil {
			return err
		}
		last.Balance, last.Held = l.Balance, l.Held
		if err := out.line("transaction", l.CreatedAt, l.ID, l.Kind, l.Product, reference(l.FieldID), reference(l.OrderID), reference(l.RefundOf),
			l.Amount, l.Balance, l.Held, last.Available(), l.Note); err != nil {
			return err
		}
	}
	_ = out.line(stand("closing balance", last)...)
	return out.end()
}

func stand(line string, w credit.Wallet) []any {
	return []any{line, nil, nil, nil, nil, nil, nil, nil, nil, w.Balance, w.Held, w.Available(), nil}
}

// reference returns the id of another record; nil for none.
func reference(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
