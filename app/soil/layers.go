package soil

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
	"tilth/ports"
)

// edgeMask is the number of cells along the edges of fields that the clustering leaves out.
const edgeMask = 1

// CellSource reads the peaks of an index on the cells of a frame.
type CellSource interface {
	Peaks(ctx context.Context, req satellite.CellRequest) (satellite.CellPeaks, error)
}

// LayerPreparer prepares the layers of an order. It keeps nothing.
type LayerPreparer struct {
	Imagery    CellSource
	Covariates *Covariates
	Clock      ports.Clock
}

// Prepare lays the frame over the land of an order and makes its layers: NDVI of up to five calendar years, relief, and
// the rasters that the operator registered (see Covariates). Layers that maps would not use are dropped, with the
// reason. Faults: Invalid if the land has too few cells (frame_too_small), no layer can be used (no_usable_layers) or
// the default request would make no map (no_zones); Unavailable if a source is.
func (p *LayerPreparer) Prepare(ctx context.Context, order stratification.OrderState) (layer.Prepared, error) {
	var none layer.Prepared
	land := stratification.Geometries(order.Land)
	scope := access.Own(order.CompanyID)
	finest, err := p.Covariates.finest(ctx, scope, slices.Concat(land...))
	if err != nil {
		return none, err
	}
	frame, err := frame.New(effort.Of(ctx, 0), land, frame.Options{EdgeMask: edgeMask, LayerSize: finest})
	if err != nil {
		return none, err
	}
	layers, err := p.ndvi(ctx, &frame, slices.Concat(land...))
	if err != nil {
		return none, err
	}
	others, missing, err := p.Covariates.Of(ctx, scope, &frame)
	if err != nil {
		return none, err
	}
	layers = append(layers, others...)
	if err := judge(ctx, &frame, layers, order.DataUUID); err != nil {
		return none, err
	}
	return layer.NewPrepared(&frame, layers, append(notesOn(layers), missing...)), nil
}

// judge drops the layers that maps would not use, and refuses layers from which the default request
// would make no map, before the order is charged.
func judge(ctx context.Context, f *frame.Frame, layers []layer.PreparedLayer, scope string) error {
	p := zoning.DefaultParams()
	p.Scope = scope
	p = p.Seeded(seed.Choice{})
	why := ""
	for _, l := range layers {
		if l.Dropped != "" {
			why += fmt.Sprintf(" %s: %s.", l.Name, strings.TrimSuffix(l.Dropped, "."))
		}
	}
	uses, err := zoning.Judge(ctx, f, layer.Prepared{Layers: layers}.Usable(), p)
	if known, ok := fault.As(err); ok && known.Kind == fault.Invalid {
		return fault.New(known.Kind, known.Code, "No map of zones can be made from the layers. "+known.Message+why)
	}
	for _, use := range uses {
		at := slices.IndexFunc(layers, func(l layer.PreparedLayer) bool { return l.Name == use.Name })
		if use.Dropped != "" {
			layers[at].Dropped, layers[at].Values = use.Dropped, nil
		}
	}
	return err
}

// notesOn returns what an order's owner should know about its layers.
func notesOn(layers []layer.PreparedLayer) (notes []string) {
	other, synthetic := 0, false
	for _, l := range layers {
		if l.Dropped != "" {
			continue
		}
		if l.Provenance.Kind != layer.FromSentinel2 {
			other++
		}
		synthetic = synthetic || l.Provenance.Synthetic
	}
	if other == 0 {
		notes = append(notes, "The only layers are of NDVI: no raster of relief or soil covers the area.")
	}
	if synthetic {
		notes = append(notes, "The imagery is synthetic: zones made from it say nothing about real land.")
	}
	return notes
}

// ndvi makes the layers of NDVI: the peak of each cell for each of the newest calendar years with
// enough accepted dates, and the mean and standard deviation over these years.
func (p *LayerPreparer) ndvi(ctx context.Context, frame *frame.Frame, land geo.MultiPolygon) ([]layer.PreparedLayer, error) {
	from := layer.Provenance{Kind: layer.FromSentinel2}
	var years [][]float64
	for year := p.Clock.Now().UTC().Year(); year >= layer.FirstYear && len(years) < layer.MaxYears; year-- {
		seen, err := p.year(ctx, frame, land, year)
		if err != nil {
			return nil, err
		}
		if seen.Dates < layer.MinDates {
			continue
		}
		years = append(years, seen.Values)
		from.Years, from.Dates = append(from.Years, year), from.Dates+seen.Dates
		from.Scenes = append(from.Scenes, seen.Scenes...)
		from.Synthetic = from.Synthetic || seen.Synthetic
	}
	slices.Sort(from.Years)
	slices.Sort(from.Scenes)
	from.Scenes = slices.Compact(from.Scenes)
	const meanOf, sdOf = "Sentinel-2 L2A: mean over years of the 95th percentile of NDVI", "Sentinel-2 L2A: standard deviation over years of the 95th percentile of NDVI"
	if len(years) == 0 {
		why := fmt.Sprintf("no calendar year since %d has %d accepted dates over the area", layer.FirstYear, layer.MinDates)
		return []layer.PreparedLayer{
			layer.Drop(layer.NDVIMean, meanOf, why, from), layer.Drop(layer.NDVISD, sdOf, why, from),
		}, nil
	}
	mean, sd := layer.MeanAndSD(years)
	out := []layer.PreparedLayer{layer.Prepare(layer.Layer{Name: layer.NDVIMean, Values: mean, Source: meanOf}, from)}
	if sd == nil {
		return append(out, layer.Drop(layer.NDVISD, sdOf, "a deviation between years needs two of them; there is one", from)), nil
	}
	return append(out, layer.Prepare(layer.Layer{Name: layer.NDVISD, Values: sd, Source: sdOf}, from)), nil
}

// year gathers the peaks of a calendar year.
func (p *LayerPreparer) year(ctx context.Context, frame *frame.Frame, land geo.MultiPolygon, year int) (satellite.CellPeaks, error) {
	index, err := vegetation.ParseIndex("NDVI")
	if err != nil {
		return satellite.CellPeaks{}, err
	}
	grid, cells := frame.Grid()
	return p.Imagery.Peaks(ctx, satellite.CellRequest{
		Boundary: land, Grid: grid, Cells: cells, Index: index, Mask: vegetation.MaskStandard,
		From: time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), To: time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC),
	})
}
