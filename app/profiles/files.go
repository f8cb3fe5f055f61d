package profiles

import (
	"context"
	"io"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Files are the use cases that answer with a file: the chart and the table of a profile, and
// the statement of a wallet.
type Files struct {
	Orders *Orders
	Charts ports.Charts
	Sheets ports.Sheets
}

// CSV is the format of tables, beside those of ports.Charts.
const CSV = "csv"

// File is a profile to be written as a file when the answer is.
type File struct {
	Order vegetation.OrderState // as it stands for the index
	Write func(w io.Writer) error
}

// File gives the profile of an order for an index, the order's own where it is the zero Index,
// as a file: svg, png or csv. It waits for a series as [Orders.RetrieveIndex] does; one that is
// not there gives a chart that says why, and a table without lines.
// Faults: Unauthenticated, Forbidden, NotFound.
func (f *Files) File(ctx context.Context, who access.Principal, shared bool, id int64, index vegetation.Index, format string, wait time.Duration) (File, error) {
	found, err := f.retrieve(ctx, who, shared, id, index, wait)
	if err != nil {
		return File{}, err
	}
	out := File{Order: found.Order}
	if format == CSV {
		out.Write = func(w io.Writer) error { return f.Sheets.SeriesSheet(w, found.Series) }
		return out, nil
	}
	chart := ports.SeriesChart{Series: found.Series, From: found.Order.StartDate, To: found.Order.EndDate, Note: noteOf(found)}
	if chart.Title, err = f.title(ctx, who.Scope(shared), found.Order); err != nil {
		return File{}, err
	}
	out.Write = func(w io.Writer) error { return f.Charts.DrawSeries(w, format, chart) }
	return out, nil
}

func (f *Files) retrieve(ctx context.Context, who access.Principal, shared bool, id int64, index vegetation.Index, wait time.Duration) (Profile, error) {
	if index.IsZero() {
		return f.Orders.Retrieve(ctx, who, shared, id)
	}
	return f.Orders.RetrieveIndex(ctx, who, shared, id, index, wait)
}

// title names the field, where the caller may see it.
func (f *Files) title(ctx context.Context, scope access.Scope, order vegetation.OrderState) (string, error) {
	title := ""
	err := f.Orders.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		field, err := tx.Fields.Get(ctx, scope, order.FieldID)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		title = field.Name
		return err
	})
	return title, err
}

// noteOf says why a chart is empty.
func noteOf(p Profile) string {
	switch p.Order.Status {
	case vegetation.Active:
		return "No accepted date"
	case vegetation.Processing:
		return "Being computed"
	default:
		return p.Order.Reason
	}
}
