package eudr

import (
	"cmp"
	"slices"

	"tilth/core/country"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/geo"
)

const (
	// Decimals of degrees that coordinates have: a tenth of a metre.
	Decimals = 6
	// MaxPointHa is the area up to which a point is enough for a plot.
	MaxPointHa = 4
	// MaxFileBytes is the maximum size of a file: 25 MB, less a tenth for what the Information System adds.
	MaxFileBytes = 22_500_000

	// boxMargin is how many degrees a field may lie outside the box of its country, which is rounded and misses small islands.
	boxMargin = 0.1
)

// Codes of findings.
const (
	NoBoundary = "no_boundary" // nothing says where the field is
	NoCountry  = "no_country"  // the farm's country is not known
	Vanishes   = "vanishes"    // nothing is left of the outline at six decimals
	Abroad     = "abroad"      // the field lies outside of its country
	HoleCut    = "hole_cut"    // the outline has holes, so it is cut into parts without holes
)

// Options decide how fields become plots.
type Options struct {
	Country string // key of the country of fields whose farms have none; empty: they are refused
	Points  bool   // plots of at most [MaxPointHa] are points
}

// Finding is something that is wrong with a plot, or was done to it.
type Finding struct {
	Code    string
	Message string
	Refused bool // the Information System would refuse the plot; else it only needs a look
}

// Feature is a plot as a file holds it: an area without holes, or a point with its area.
type Feature struct {
	ProducerName    string
	ProducerCountry string // ISO 3166-1 alpha-2
	ProductionPlace string
	Outline         geo.Ring // closed, counter-clockwise, rounded to [Decimals]; nil for a point
	Point           geo.Position
	AreaHa          float64 // of a point
}

// Plot is a field as plots of a statement: one feature for each part of its outline.
type Plot struct {
	Features []Feature
	Findings []Finding
}

// Refused reports whether the Information System would refuse the plot.
func (p Plot) Refused() bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Refused })
}

func (p *Plot) find(code, message string, refused bool) {
	p.Findings = append(p.Findings, Finding{code, message, refused})
}

// PlotOf returns a field as plots; holding is its farm, or the zero value where the caller does not see it. Errors are those
// of the budget.
func PlotOf(budget *effort.Budget, f *farm.Field, holding *farm.Farm, o Options) (out Plot, err error) {
	head := Feature{
		ProducerName:    cmp.Or(holding.OwnerName, holding.Name, f.Farm.Name),
		ProducerCountry: country.Code(cmp.Or(holding.Country, o.Country)), ProductionPlace: f.Name,
	}
	if head.ProducerCountry == "" {
		out.find(NoCountry, "The country of the farm is not known. Fix: set it, or give country for the farms without one.", true)
	}
	if f.Boundary == nil {
		out.find(NoBoundary, "The field has no boundary. Fix: draw it.", true)
		return out, nil
	}
	at := f.Boundary.Centroid()
	if near, known := country.Near(cmp.Or(holding.Country, o.Country), at.X, at.Y, boxMargin); known && !near {
		out.find(Abroad, "The field lies outside its country. Fix: check the boundary and the farm's country.", false)
	}
	if o.Points && f.Boundary.AreaHa() <= MaxPointHa {
		head.Point, head.AreaHa = insideOf(f.Boundary.Geometry()[0]), geo.RoundHa(f.Boundary.AreaHa())
		out.Features = append(out.Features, head)
		return out, nil
	}
	parts, cut, err := withoutHoles(budget, f.Boundary.Geometry().Rounded(Decimals))
	if err != nil {
		return out, err
	}
	if cut {
		out.find(HoleCut, "The boundary has holes, which are not accepted. It is cut into parts without holes.", false)
	}
	if len(parts) == 0 {
		out.find(Vanishes, "Nothing is left of the boundary at six decimals. Fix: draw it again.", true)
	}
	for _, part := range parts {
		head.Outline = part
		out.Features = append(out.Features, head)
	}
	return out, nil
}
