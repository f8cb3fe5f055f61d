package farm

import (
	"context"
	"io"
	"iter"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/country"
	"tilth/core/effort"
	"tilth/core/eudr"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
)

const (
	// maxPlotsNamed is the number of fields with findings that a check names; it counts all of them.
	maxPlotsNamed = 1_000
	// maxRefusedNamed is the number of refused fields that an error names.
	maxRefusedNamed = 20
	// plotChunk is the number of fields that are handled per reading of their farms.
	plotChunk = 200
)

// Plots holds the use cases of geolocations for the EU's due diligence statements.
type Plots struct {
	app.Deps
	Fields *Records[farm.Field]
	Files  ports.PlotFiles
}

// PlotsAsk defines which fields become plots, and how.
type PlotsAsk struct {
	Shared bool // fields that others share with the caller's company, instead of its own
	Query  ports.Query
	eudr.Options
	LeaveOut bool // refused fields are left out; otherwise nothing is exported
}

// withCountry returns the ask with the key of its country, which may be given as a name or a code.
func (ask PlotsAsk) withCountry() (PlotsAsk, error) {
	if ask.Country == "" {
		return ask, nil
	}
	key, known := country.Parse(ask.Country)
	if !known {
		return ask, fault.Field("country", "There is no such country. Fix: give its key (united_states), English name or ISO 3166-1 code.")
	}
	ask.Country = key
	return ask, nil
}

// CheckedField is a field as plots, with its findings.
type CheckedField struct {
	Field, Farm record.Ref
	AreaHa      float64
	eudr.Plot
}

// PlotsReport predicts how the Information System would judge fields.
type PlotsReport struct {
	Checked, Refused int64
	Plots            int64 // of the fields that are not refused
	Bytes            int64 // of a file of those plots
	Files            int64
	Found            []CheckedField // the first that have findings, without their features
	More             bool           // further fields have findings, too
}

// Check reports what the Information System would refuse about fields, and how large their file is. Faults: Invalid (country).
func (p *Plots) Check(ctx context.Context, who access.Principal, ask PlotsAsk) (out PlotsReport, err error) {
	if ask, err = ask.withCountry(); err != nil {
		return out, err
	}
	size := p.Files.Size()
	for field, err := range p.each(ctx, who, ask) {
		if err != nil {
			return out, err
		}
		out.Checked++
		if len(field.Findings) > 0 && len(out.Found) < maxPlotsNamed {
			out.Found = append(out.Found, CheckedField{field.Field, field.Farm, field.AreaHa, eudr.Plot{Findings: field.Findings}})
		} else if len(field.Findings) > 0 {
			out.More = true
		}
		if field.Refused() {
			out.Refused++
			continue
		}
		out.Plots += int64(len(field.Features))
		for _, feature := range field.Features {
			if err := size.Add(feature); err != nil {
				return out, err
			}
		}
	}
	out.Bytes, out.Files = size.Bytes(), size.Files()
	return out, nil
}

// Export returns a function that writes the fields as one GeoJSON file, or as an archive of several if they are too many
// for one. Faults: Invalid (country); Conflict where a field would be refused.
func (p *Plots) Export(ctx context.Context, who access.Principal, ask PlotsAsk) (several bool, write func(to io.Writer) error, err error) {
	if ask, err = ask.withCountry(); err != nil {
		return false, nil, err
	}
	report, err := p.Check(ctx, who, ask)
	if err != nil {
		return false, nil, err
	}
	if report.Refused > 0 && !ask.LeaveOut {
		return false, nil, refusedPlots(report)
	}
	several = report.Files > 1
	return several, func(to io.Writer) error {
		return p.Files.Write(ctx, to, several, featuresOf(p.each(ctx, who, ask)))
	}, nil
}

func refusedPlots(r PlotsReport) error {
	named := fault.Fields{}
	for _, field := range r.Found {
		if field.Refused() && len(named) < maxRefusedNamed {
			named.Addf("fields", "%d (%s): %s", field.Field.ID, field.Field.Name, firstRefusal(field.Plot))
		}
	}
	return fault.Newf(fault.Conflict, "eudr_refused", "%d of %d fields would be refused. Fix: correct them as field/eudr-check/ says, or send leave_out=true.",
		r.Refused, r.Checked).With("fields", named.Messages()["fields"])
}

func firstRefusal(p eudr.Plot) string {
	return p.Findings[slices.IndexFunc(p.Findings, func(f eudr.Finding) bool { return f.Refused })].Message
}

func featuresOf(fields iter.Seq2[CheckedField, error]) iter.Seq2[eudr.Feature, error] {
	return func(yield func(eudr.Feature, error) bool) {
		for field, err := range fields {
			if err != nil {
				yield(eudr.Feature{}, err)
				return
			}
			if field.Refused() {
				continue
			}
			for _, feature := range field.Features {
				if !yield(feature, nil) {
					return
				}
			}
		}
	}
}

// each yields fields as plots, reading them with their farms a chunk at a time.
func (p *Plots) each(ctx context.Context, who access.Principal, ask PlotsAsk) iter.Seq2[CheckedField, error] {
	return func(yield func(CheckedField, error) bool) {
		found, err := p.Fields.List(ctx, who, ask.Shared, ask.Query)
		if err != nil {
			yield(CheckedField{}, err)
			return
		}
		var chunk []farm.Field
		flush := func() bool {
			done := p.judge(ctx, who, ask, chunk, yield)
			chunk = chunk[:0]
			return done
		}
		for field, err := range found.Each {
			if err != nil {
				yield(CheckedField{}, err)
				return
			}
			if chunk = append(chunk, field); len(chunk) == plotChunk && !flush() {
				return
			}
		}
		flush()
	}
}

// judge yields fields as plots, and reports whether the reader wants more.
func (p *Plots) judge(ctx context.Context, who access.Principal, ask PlotsAsk, fields []farm.Field, yield func(CheckedField, error) bool) bool {
	var farmIDs []int64
	for _, field := range fields {
		farmIDs = append(farmIDs, field.Farm.ID)
	}
	slices.Sort(farmIDs)
	farms, err := app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) (map[int64]farm.Farm, error) {
		return tx.Farms.GetMany(ctx, who.Scope(ask.Shared), slices.Compact(farmIDs))
	})
	if err != nil {
		return yield(CheckedField{}, err)
	}
	budget := effort.Of(ctx, 0)
	for _, field := range fields {
		holding := farms[field.Farm.ID]
		out := CheckedField{Field: record.Ref{ID: field.ID, Name: field.Name}, Farm: field.Farm}
		if field.Boundary != nil {
			out.AreaHa = geo.RoundHa(field.Boundary.AreaHa())
		}
		out.Plot, err = eudr.PlotOf(budget, &field, &holding, ask.Options)
		if !yield(out, err) || err != nil {
			return false
		}
	}
	return true
}
