package satellite

import (
	"context"
	"io"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ProfileFiles are the use cases that answer with a file: the chart and the table of a profile, and
// the statement of a wallet.
type ProfileFiles struct {
	Orders *Profiles
	Charts ports.Charts
	Sheets ports.Sheets
}

// ProfileFile is a profile to be written as a file when the answer is.
type ProfileFile struct {
	Order vegetation.OrderState // as it stands for the reading
	Write func(w io.Writer) error
}

// ProfileFileRequest asks for the profile of an order as a file.
type ProfileFileRequest struct {
	Shared bool // among what is shared with the caller
	ID     int64
	Choice vegetation.Choice
	Format string        // svg, png, csv or xlsx
	Wait   time.Duration // for a series that is not there yet
	// BoundaryID is the outline that the series is of, 0 for the order's.
	BoundaryID int64
}

// File returns the profile of an order in a reading as a file: svg, png, csv or xlsx. It waits for a series as
// [Profiles.RetrieveReading] does; one that is not there gives a chart
// that says why, and a table without lines. Faults: NotFound.
func (f *ProfileFiles) File(ctx context.Context, who access.Principal, req ProfileFileRequest) (ProfileFile, error) {
	found, err := f.retrieve(ctx, who, req)
	if err != nil {
		return ProfileFile{}, err
	}
	out := ProfileFile{Order: found.Order}
	if req.Format == ports.CSV || req.Format == ports.XLSX {
		out.Write = func(w io.Writer) error { return f.Sheets.SeriesSheet(w, req.Format, found.Series) }
		return out, nil
	}
	chart := ports.SeriesChart{Series: found.Series, From: found.Order.StartDate, To: found.Order.EndDate, Note: profileNote(found)}
	if chart.Title, err = f.title(ctx, who.Scope(req.Shared), found.Order); err != nil {
		return ProfileFile{}, err
	}
	out.Write = func(w io.Writer) error { return f.Charts.DrawSeries(ctx, w, req.Format, chart) }
	return out, nil
}

func (f *ProfileFiles) retrieve(ctx context.Context, who access.Principal, req ProfileFileRequest) (Profile, error) {
	if req.BoundaryID != 0 {
		return f.Orders.RetrieveOn(ctx, who, req.Shared, req.ID, req.BoundaryID, req.Choice)
	}
	if req.Choice.IsZero() {
		return f.Orders.Retrieve(ctx, who, req.Shared, req.ID)
	}
	return f.Orders.RetrieveReading(ctx, who, req.Shared, req.ID, req.Choice, req.Wait)
}

// title names the field, where the caller may see it.
func (f *ProfileFiles) title(ctx context.Context, scope access.Scope, order vegetation.OrderState) (string, error) {
	return app.In(ctx, f.Orders.Store.Read, func(ctx context.Context, tx ports.Repos) (string, error) {
		field, err := tx.Fields.Get(ctx, scope, order.FieldID)
		if fault.Is(err, fault.NotFound) {
			return "", nil
		}
		return field.Name, err
	})
}

// profileNote says why a chart is empty.
func profileNote(p Profile) string {
	switch p.Order.Status {
	case vegetation.Active:
		return "No accepted date"
	case vegetation.Processing:
		return "Being computed"
	default:
		return p.Order.Reason
	}
}
