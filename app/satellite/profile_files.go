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

// ProfileFiles holds the use cases that return a file: the chart and the table of a profile, and
// the statement of a wallet.
type ProfileFiles struct {
	Orders *Profiles
	Charts ports.Charts
	Sheets ports.Sheets
}

// ProfileFile is a profile with a function that writes it as a file.
type ProfileFile struct {
	Order vegetation.OrderState // in its state for the reading
	Write func(w io.Writer) error
}

// ProfileFileRequest asks for the profile of an order as a file.
type ProfileFileRequest struct {
	Shared bool // look among orders shared with the caller
	ID     int64
	Choice vegetation.Choice
	Format string        // svg, png, csv or xlsx
	Wait   time.Duration // for a series that does not exist yet
	// BoundaryID is the outline that the series covers, 0 for the order's.
	BoundaryID int64
}

// File returns the profile of an order in a reading as a file: svg, png, csv or xlsx. It waits for a series as
// [Profiles.RetrieveReading] does; a missing one results in a chart that shows the reason, and a table without
// rows. Faults: NotFound.
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

// title returns the name of the field, if the caller may see it.
func (f *ProfileFiles) title(ctx context.Context, scope access.Scope, order vegetation.OrderState) (string, error) {
	return app.In(ctx, f.Orders.Store.Read, func(ctx context.Context, tx ports.Repos) (string, error) {
		field, err := tx.Fields.Get(ctx, scope, order.FieldID)
		if fault.Is(err, fault.NotFound) {
			return "", nil
		}
		return field.Name, err
	})
}

// profileNote returns the reason why a chart is empty.
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
