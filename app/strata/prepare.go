package strata

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"tilth/app/series"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/vegetation"
	"tilth/ports"
)

// edgeMask is how many cells along the edges of fields the clustering leaves out.
const edgeMask = 1

// beyond is how far around the fields rasters are read, in degrees (some 500 m): slopes and the
// flow of water begin outside of them.
const beyond = 0.005

// Cells reads an index on the cells of a frame.
type Cells interface {
	Cells(ctx context.Context, req series.CellRequest) (series.CellReader, error)
}

// Preparer prepares the layers of an order. It keeps nothing.
type Preparer struct {
	Store   ports.Store // of the registered rasters
	Imagery Cells
	Rasters ports.RasterFiles
	Clock   ports.Clock
}

// Prepare lays the frame over the land of an order and makes its layers: NDVI of up to five
// calendar years, and the rasters that the operator registered; of one that is called elevation
// also slope and wetness.
// Faults: Invalid where the land has too few cells (frame_too_small) or no layer can be made
// (no_usable_layers); Unavailable where a source is out.
func (p *Preparer) Prepare(ctx context.Context, order stratification.OrderState) (stratification.Prepared, error) {
	var none stratification.Prepared
	land := stratification.Geometries(order.Land)
	rasters, err := p.rasters(ctx, land)
	if err != nil {
		return none, err
	}
	frame, err := stratification.NewFrame(land, stratification.FrameOptions{EdgeMask: edgeMask, LayerSize: finest(rasters)})
	if err != nil {
		return none, err
	}
	layers, err := p.ndvi(ctx, &frame, slices.Concat(land...))
	if err != nil {
		return none, err
	}
	for _, r := range rasters {
		made, err := r.layers(&frame)
		if err != nil {
			return none, err
		}
		layers = append(layers, made...)
	}
	notes, err := notesOn(layers)
	return stratification.NewPrepared(&frame, layers, notes), err
}

// notesOn says what an order's owner should know of its layers.
func notesOn(layers []stratification.PreparedLayer) ([]string, error) {
	used, other, synthetic := 0, 0, false
	for _, l := range layers {
		if l.Dropped != "" {
			continue
		}
		used++
		if l.Provenance.Kind != stratification.FromSentinel2 {
			other++
		}
		synthetic = synthetic || l.Provenance.Synthetic
	}
	if used == 0 {
		why := ""
		for _, l := range layers {
			why += fmt.Sprintf(" %s: %s.", l.Name, l.Dropped)
		}
		return nil, fault.New(fault.Invalid, "no_usable_layers", "No layer of the area could be prepared."+why)
	}
	var notes []string
	if other == 0 {
		notes = append(notes, "The only layers are of NDVI: no raster of relief or soil covers the area.")
	}
	if synthetic {
		notes = append(notes, "The imagery is synthetic: zones made of it say nothing of real land.")
	}
	return notes, nil
}

// ndvi makes the layers of NDVI: of each of the newest calendar years with enough accepted
// dates the peak of each cell, and of the years their mean and standard deviation.
func (p *Preparer) ndvi(ctx context.Context, frame *stratification.Frame, land geo.MultiPolygon) ([]stratification.PreparedLayer, error) {
	from := stratification.Provenance{Kind: stratification.FromSentinel2}
	var years [][]float64
	for year := p.Clock.Now().UTC().Year(); year >= stratification.FirstYear && len(years) < stratification.MostYears; year-- {
		peaks, seen, err := p.year(ctx, frame, land, year)
		if err != nil {
			return nil, err
		}
		if len(seen.days) < stratification.LeastDates {
			continue
		}
		years = append(years, peaks.Values())
		from.Years, from.Dates = append(from.Years, year), from.Dates+len(seen.days)
		from.Scenes = append(from.Scenes, seen.scenes...)
		from.Synthetic = from.Synthetic || seen.synthetic
	}
	slices.Sort(from.Years)
	slices.Sort(from.Scenes)
	from.Scenes = slices.Compact(from.Scenes)
	const meanOf, sdOf = "Sentinel-2 L2A: mean over years of the 95th percentile of NDVI", "Sentinel-2 L2A: standard deviation over years of the 95th percentile of NDVI"
	if len(years) == 0 {
		why := fmt.Sprintf("no calendar year since %d has %d accepted dates over the area", stratification.FirstYear, stratification.LeastDates)
		return []stratification.PreparedLayer{
			stratification.Drop(stratification.NDVIMean, meanOf, why, from), stratification.Drop(stratification.NDVISD, sdOf, why, from),
		}, nil
	}
	mean, sd := stratification.MeanAndSD(years)
	out := []stratification.PreparedLayer{stratification.Prepare(stratification.Layer{Name: stratification.NDVIMean, Values: mean, Source: meanOf}, from)}
	if sd == nil {
		return append(out, stratification.Drop(stratification.NDVISD, sdOf, "a deviation between years needs two of them; there is one", from)), nil
	}
	return append(out, stratification.Prepare(stratification.Layer{Name: stratification.NDVISD, Values: sd, Source: sdOf}, from)), nil
}

// seen is what the accepted dates of a year were.
type seen struct {
	days      map[time.Time]bool
	scenes    []string
	synthetic bool
}

// year gathers the values of a calendar year.
func (p *Preparer) year(ctx context.Context, frame *stratification.Frame, land geo.MultiPolygon, year int) (*stratification.Peaks, seen, error) {
	out := seen{days: map[time.Time]bool{}}
	index, err := vegetation.ParseIndex("NDVI")
	if err != nil {
		return nil, out, err
	}
	grid, cells := frame.Grid()
	reader, err := p.Imagery.Cells(ctx, series.CellRequest{
		Boundary: land, Grid: grid, Cells: cells, Index: index, Mask: vegetation.MaskStandard,
		From: time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), To: time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC),
	})
	if err != nil || reader.Passes() < stratification.LeastDates {
		return nil, out, err // too few to be worth reading
	}
	peaks := stratification.NewPeaks(len(cells), reader.Passes())
	err = reader.Each(ctx, func(d series.CellDate) {
		peaks.Add(d.Values)
		out.days[d.Day] = true
		out.scenes = append(out.scenes, d.Scenes...)
		out.synthetic = out.synthetic || d.Synthetic
	})
	return peaks, out, err
}

// raster is a registered raster around the land of an order, or why there is none.
type raster struct {
	ports.LayerRaster
	surface stratification.Surface
	dropped string
}

// rasters reads the registered rasters around the land.
func (p *Preparer) rasters(ctx context.Context, land []geo.MultiPolygon) ([]raster, error) {
	var registered []ports.LayerRaster
	if err := p.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		registered, err = tx.LayerRasters.All(ctx)
		return err
	}); err != nil {
		return nil, err
	}
	around := boxAround(land)
	out := make([]raster, len(registered))
	for i, r := range registered {
		out[i].LayerRaster = r
		surface, err := p.Rasters.Surface(ctx, r.Object, around)
		if known, ok := fault.As(err); ok && (known.Kind == fault.Invalid || known.Kind == fault.NotFound) {
			out[i].dropped = known.Message
			continue
		}
		if err != nil {
			return nil, err
		}
		for j, v := range surface.Values {
			surface.Values[j] = float64(v*r.Scale) + r.Offset
		}
		surface.Source = r.File
		out[i].surface = surface
	}
	return out, nil
}

// boxAround gives the box around land, a little larger.
func boxAround(land []geo.MultiPolygon) geo.MultiPolygon {
	box := slices.Concat(land...).Bounds()
	west, south, east, north := box.MinX-beyond, box.MinY-beyond, box.MaxX+beyond, box.MaxY+beyond
	return geo.MultiPolygon{{{{X: west, Y: south}, {X: east, Y: south}, {X: east, Y: north}, {X: west, Y: north}, {X: west, Y: south}}}}
}

// finest gives the width of the finest raster's pixels in metres; 0 where there is none.
func finest(rasters []raster) float64 {
	out := 0.0
	for _, r := range rasters {
		if r.dropped == "" && (out == 0 || r.surface.CellX < out) {
			out = r.surface.CellX
		}
	}
	return out
}

// Elevation is the layer of which slope and wetness are derived.
const (
	Elevation = "elevation"
	Slope     = "slope"
	Wetness   = "twi"
)

// layers samples the raster at the cells of the frame.
func (r raster) layers(frame *stratification.Frame) ([]stratification.PreparedLayer, error) {
	from := stratification.Provenance{Kind: stratification.FromRaster, Raster: r.Name, Checksum: r.Checksum}
	if r.dropped != "" {
		return []stratification.PreparedLayer{stratification.Drop(r.Name, r.File, r.dropped, from)}, nil
	}
	names, surfaces := []string{r.Name}, []stratification.Surface{r.surface}
	if r.Name == Elevation && math.Abs(r.surface.CellX-r.surface.CellY) <= 1e-6*r.surface.CellX {
		slope, wetness := stratification.Relief(r.surface)
		names, surfaces = append(names, Slope, Wetness), append(surfaces, slope, wetness)
	}
	var out []stratification.PreparedLayer
	for i, s := range surfaces {
		layer, err := stratification.Sample(frame, s, names[i])
		if err != nil {
			return nil, err
		}
		out = append(out, stratification.Prepare(layer, from))
	}
	return out, nil
}
