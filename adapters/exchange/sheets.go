package exchange

import (
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"tilth/core/credit"
	"tilth/core/vegetation"
)

// Sheets writes the tables that people open in a spreadsheet. It implements ports.Sheets.
type Sheets struct{}

var seriesColumns = []string{
	"date", "value", "status", "reason", "coverage", "n_valid", "n_polygon", "median", "std", "min", "max", "p10", "p90", "items",
}

// SeriesSheet implements ports.Sheets: accepted and rejected dates in one order. A rejected
// date has its reason and neither a value nor statistics.
func (Sheets) SeriesSheet(w io.Writer, s vegetation.Series) error {
	out := csv.NewWriter(w)
	_ = out.Write(seriesColumns) // the first error stays, and Error gives it
	o, r := s.Observations, s.Rejected
	for len(o)+len(r) > 0 {
		if len(r) == 0 || len(o) > 0 && !r[0].Date.Before(o[0].Date) {
			_ = out.Write(accepted(o[0]))
			o = o[1:]
			continue
		}
		_ = out.Write(rejected(r[0]))
		r = r[1:]
	}
	out.Flush()
	return out.Error()
}

func accepted(o vegetation.Observation) []string {
	return []string{
		o.Date.Format(time.DateOnly), number(o.Value), "accepted", "", number(o.Coverage), strconv.Itoa(o.NValid), strconv.Itoa(o.NPolygon),
		number(o.Median), number(o.Std), number(o.Min), number(o.Max), number(o.P10), number(o.P90), formulaSafe(strings.Join(o.Items, " ")),
	}
}

func rejected(r vegetation.Rejection) []string {
	return []string{
		r.Date.Format(time.DateOnly), "", "rejected", string(r.Reason), number(r.Coverage), strconv.Itoa(r.NValid), strconv.Itoa(r.NPolygon),
		"", "", "", "", "", "", formulaSafe(strings.Join(r.Items, " ")),
	}
}

var statementColumns = []string{
	"line", "created_at", "transaction", "kind", "product", "field", "order", "refund_of", "amount", "balance", "held", "available", "note",
}

// StatementSheet implements ports.Sheets. Amounts are credits with two decimals; balance, held
// and available are those after the line.
func (Sheets) StatementSheet(w io.Writer, opening credit.Wallet, lines iter.Seq2[credit.StatementLine, error]) error {
	out := csv.NewWriter(w)
	_ = out.Write(statementColumns)
	_ = out.Write(stand("opening balance", opening))
	last := opening
	for l, err := range lines {
		if err != nil {
			return err
		}
		last.Balance, last.Held = l.Balance, l.Held
		if err := out.Write([]string{
			"transaction", l.CreatedAt.UTC().Format(time.RFC3339Nano), strconv.FormatInt(l.ID, 10), string(l.Kind), string(l.Product),
			reference(l.FieldID), reference(l.OrderID), reference(l.RefundOf),
			l.Amount.String(), l.Balance.String(), l.Held.String(), last.Available().String(), formulaSafe(l.Note),
		}); err != nil {
			return err
		}
	}
	_ = out.Write(stand("closing balance", last))
	out.Flush()
	return out.Error()
}

func stand(line string, w credit.Wallet) []string {
	return []string{line, "", "", "", "", "", "", "", "", w.Balance.String(), w.Held.String(), w.Available().String(), ""}
}

// reference writes the id of another record; nothing for none.
func reference(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}
