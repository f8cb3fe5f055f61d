package soil

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// Covariates makes the layers of a frame that do not come from imagery: relief, and the rasters
// that the operator registered. It stores nothing.
type Covariates struct {
	Store      ports.Store      // for the registered rasters
	Elevations ports.Elevations // nil: none available
	Files      ports.RasterFiles
}

// Of returns elevation, slope and wetness of a frame, then the rasters that a scope's company may use, by
// name; each with its provenance, or with the reason why it is missing. Relief comes from the raster
// registered as elevation if there is one, else from the catalog's elevation model; if there is neither, a
// note says so and nothing is dropped. It is read region by region (layer.Region). The same input
// returns the same layers. Faults: Unavailable if a source is.
func (c *Covariates) Of(ctx context.Context, scope access.Scope, frame *frame.Frame) (layers []layer.PreparedLayer, notes []string, err error) {
	registered, err := c.registered(ctx, scope)
	if err != nil {
		return nil, nil, err
	}
	if layers, notes, err = c.reliefOf(ctx, frame, registered, (*layer.FrameRelief).Layers); err != nil {
		return nil, nil, err
	}
	rasters, err := c.sampledAll(ctx, frame, registered)
	return append(layers, list.Map(rasters, func(r layer.Registered) layer.PreparedLayer { return r.PreparedLayer })...), notes, err
}

// Relief returns elevation, slope, aspect and wetness of a frame, as Of returns those that are clustered.
func (c *Covariates) Relief(ctx context.Context, scope access.Scope, frame *frame.Frame) ([]layer.PreparedLayer, []string, error) {
	registered, err := c.registered(ctx, scope)
	if err != nil {
		return nil, nil, err
	}
	return c.reliefOf(ctx, frame, registered, (*layer.FrameRelief).All)
}

// Rasters returns the rasters on a frame that a scope's company may use, by name, except that of elevation; each with its provenance, or
// with the reason why it is missing. Faults: those of Of.
func (c *Covariates) Rasters(ctx context.Context, scope access.Scope, frame *frame.Frame) ([]layer.Registered, error) {
	registered, err := c.registered(ctx, scope)
	if err != nil {
		return nil, err
	}
	return c.sampledAll(ctx, frame, registered)
}

// Finest returns the result of finest, for the rasters that Relief or Rasters read for land.
func (c *Covariates) Finest(ctx context.Context, scope access.Scope, land geo.MultiPolygon) (float64, error) {
	return c.finest(ctx, scope, land)
}

type reliefLayers func(relief *layer.FrameRelief, source string) []layer.Layer

// reliefOf returns the relief of a frame: from the raster registered as elevation, or from the catalog's model.
func (c *Covariates) reliefOf(ctx context.Context, frame *frame.Frame, registered []ports.LayerRaster, which reliefLayers) ([]layer.PreparedLayer, []string, error) {
	if own := slices.IndexFunc(registered, isElevation); own >= 0 {
		layers, err := c.ownRelief(ctx, frame, registered[own], which)
		return layers, nil, err
	}
	return c.relief(ctx, frame, which)
}

func isElevation(r ports.LayerRaster) bool { return r.Name == layer.Elevation }

// sampledAll samples the layers of the registered rasters other than elevation.
func (c *Covariates) sampledAll(ctx context.Context, frame *frame.Frame, registered []ports.LayerRaster) (out []layer.Registered, err error) {
	for _, r := range registered {
		if isElevation(r) {
			continue
		}
		sampled, err := c.sampled(ctx, frame, r)
		if err != nil {
			return nil, err
		}
		out = append(out, layer.Registered{PreparedLayer: sampled, About: r.Description})
	}
	return out, nil
}

// registered returns the rasters that a scope's company may use, by name.
func (c *Covariates) registered(ctx context.Context, scope access.Scope) (out []ports.LayerRaster, err error) {
	return app.In(ctx, c.Store.Read, func(ctx context.Context, tx ports.Repos) ([]ports.LayerRaster, error) {
		return tx.LayerRasters.Of(ctx, scope)
	})
}

// finest returns the width in metres of the finest raster that a scope's company may use and that
// reaches land; 0 where there is none.
func (c *Covariates) finest(ctx context.Context, scope access.Scope, land geo.MultiPolygon) (float64, error) {
	registered, err := c.registered(ctx, scope)
	out := 0.0
	for _, r := range registered {
		if out != 0 && r.CellSize >= out {
			continue
		}
		reaches, err := c.Files.Reaches(ctx, r, land)
		if _, bad := fault.Refusal(err); err != nil && !bad {
			return 0, err
		}
		if reaches {
			out = r.CellSize
		}
	}
	return out, err
}

// relief derives elevation, slope and wetness from the catalog's elevation model.
func (c *Covariates) relief(ctx context.Context, frame *frame.Frame, which reliefLayers) ([]layer.PreparedLayer, []string, error) {
	const none = "There are no layers of relief: the imagery source holds no elevation model of the area."
	if c.Elevations == nil {
		return nil, []string{none}, nil
	}
	relief, from := layer.NewFrameRelief(frame), newSourceNotes()
	for _, region := range layer.Regions(frame) {
		models, err := c.Elevations.Elevation(ctx, region.Around(frame))
		if why, ok := fault.Refusal(err); ok {
			return droppedLayers(layer.ReliefLayers, "digital elevation model", why, from.provenance()), nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		surfaces := make([]layer.Surface, len(models))
		for i, m := range models {
			surfaces[i] = m.Surface
			from.add(m)
		}
		if err := relief.Add(region, surfaces); err != nil {
			return nil, nil, err
		}
	}
	if relief.Pixel() == 0 {
		return nil, []string{none}, nil
	}
	return preparedLayers(which(relief, from.source(relief.Pixel())), from.provenance()), nil, nil
}

// ownRelief derives them from the raster that the operator registered as elevation.
func (c *Covariates) ownRelief(ctx context.Context, frame *frame.Frame, r ports.LayerRaster, which reliefLayers) ([]layer.PreparedLayer, error) {
	relief := layer.NewFrameRelief(frame)
	why, err := c.eachRegion(ctx, frame, r, layer.Region.Around, func(region layer.Region, s layer.Surface) error {
		return relief.Add(region, []layer.Surface{s})
	})
	switch {
	case err != nil:
		return nil, err
	case why != "":
		return droppedLayers(layer.ReliefLayers, r.File, why, provenanceOf(r)), nil
	}
	return preparedLayers(which(relief, r.File), provenanceOf(r)), nil
}

// sampled samples the layer of a registered raster.
func (c *Covariates) sampled(ctx context.Context, frame *frame.Frame, r ports.LayerRaster) (layer.PreparedLayer, error) {
	samples := layer.NewRegionSamples(frame, r.Name, r.File, r.Coarse)
	why, err := c.eachRegion(ctx, frame, r, layer.Region.Within, samples.Add)
	switch {
	case err != nil:
		return layer.PreparedLayer{}, err
	case why != "":
		return layer.Drop(r.Name, r.File, why, provenanceOf(r)), nil
	}
	return layer.Prepare(samples.Layer(), provenanceOf(r)), nil
}

// eachRegion adds the contents of a registered raster for the box of each region of a frame. It
// returns why the raster cannot be used: it cannot be read, or reaches no region.
func (c *Covariates) eachRegion(ctx context.Context, on *frame.Frame, r ports.LayerRaster,
	box func(layer.Region, *frame.Frame) geo.MultiPolygon, add func(layer.Region, layer.Surface) error,
) (why string, err error) {
	reached, outside := false, ""
	for _, region := range layer.Regions(on) {
		surface, err := c.Files.Surface(ctx, r, box(region, on))
		why, refused := fault.Refusal(err)
		switch {
		case elsewhere(err):
			outside = why
			continue
		case refused:
			return why, nil
		case err != nil:
			return "", err
		}
		if err := add(region, scaledSurface(surface, r)); err != nil {
			return "", err
		}
		reached = true
	}
	if reached {
		return "", nil
	}
	return outside, nil
}

func provenanceOf(r ports.LayerRaster) layer.Provenance {
	return layer.Provenance{Kind: layer.FromRaster, Raster: r.Name, Checksum: r.Checksum}
}

// scaledSurface converts a raster's numbers to values, with the scale and offset it was registered with.
func scaledSurface(s layer.Surface, r ports.LayerRaster) layer.Surface {
	s.Classes = r.Classes
	if r.Scale == 1 && r.Offset == 0 {
		return s
	}
	for i, v := range s.Values {
		s.Values[i] = float64(v*r.Scale) + r.Offset
	}
	return s
}

// elsewhere reports whether a raster does not reach a region.
func elsewhere(err error) bool {
	known, ok := fault.As(err)
	return ok && known.Code == "raster_elsewhere"
}

func preparedLayers(layers []layer.Layer, from layer.Provenance) []layer.PreparedLayer {
	out := make([]layer.PreparedLayer, len(layers))
	for i, l := range layers {
		out[i] = layer.Prepare(l, from)
	}
	return out
}

func droppedLayers(names []string, source, why string, from layer.Provenance) []layer.PreparedLayer {
	out := make([]layer.PreparedLayer, len(names))
	for i, name := range names {
		out[i] = layer.Drop(name, source, why, from)
	}
	return out
}

// sourceNotes records which elevation models a frame's relief comes from, and the heights read.
type sourceNotes struct {
	items, collections, dates []string
	years                     []int
	synthetic                 bool
	heights                   hash.Hash
}

func newSourceNotes() *sourceNotes { return &sourceNotes{heights: sha256.New()} }

func (n *sourceNotes) add(m ports.ElevationModel) {
	n.items, n.collections, n.dates = append(n.items, m.Item), append(n.collections, m.Collection), append(n.dates, m.Date)
	if year, err := strconv.Atoi(strings.SplitN(m.Date, "-", 2)[0]); err == nil {
		n.years = append(n.years, year)
	}
	n.synthetic = n.synthetic || m.Synthetic
	raw := []byte(m.Item + "\n" + m.Checksum + "\n")
	for _, v := range append([]float64{m.OriginX, m.OriginY, m.CellX, m.CellY, float64(m.Cols)}, m.Values...) {
		raw = binary.BigEndian.AppendUint64(raw, math.Float64bits(v))
	}
	_, _ = n.heights.Write(raw) // a hash write never fails
}

// provenance returns the items, and the SHA-256 of the heights as they were read.
func (n *sourceNotes) provenance() layer.Provenance {
	return layer.Provenance{
		Kind: layer.FromElevation, Scenes: sorted(n.items), Years: sorted(n.years), Synthetic: n.synthetic,
		Checksum: hex.EncodeToString(n.heights.Sum(nil)),
	}
}

// source returns a description for people of where relief comes from.
func (n *sourceNotes) source(pixel float64) string {
	return fmt.Sprintf("%s (surface model), of %s; slope and wetness derived at %g m",
		strings.Join(sorted(n.collections), ", "), strings.Join(sorted(n.dates), ", "), pixel)
}

// sorted returns the different values in order.
func sorted[T string | int](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
