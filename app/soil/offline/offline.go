// Package offline makes maps of zones and sample plans from files, without a database.
package offline

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"tilth/app/soil"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// Zoning makes zones. It is safe for concurrent use.
type Zoning struct {
	Surfaces ports.Surfaces
}

// Request specifies the source of the zones: Table or Rasters.
type Request struct {
	Table    *layer.Table
	Rasters  []string // names of rasters, as Surfaces reads them
	Layers   []string // names of the rasters' layers to use; empty: all
	Classes  []string // names of the rasters' layers whose numbers stand for classes
	CellSize float64  // metres; 0 chooses
	EPSG     int      // of the UTM zone; 0 chooses
	EdgeMask int      // cells
	Boundary geo.MultiPolygon
	Params   zoning.Params
	Seed     seed.Choice
	Progress func(done, total int) // may be nil

	// Plan asks for a sample plan of the recommended zones; nil: none. CV, Rho2 and the seed are
	// those of the zones.
	Plan *plan.Params
	// Start and End are where the route of the plan begins and ends, WGS84; nil: anywhere.
	Start, End *geo.Position
}

// Answer is a frame with its zones.
type Answer struct {
	Frame  frame.Frame
	Corner [2]int // row and column, in the table's numbering, of the frame's row 0, column 0
	Result zoning.Result
	Plan   *plan.Plan // nil if none was requested, or there are no zones
}

// Make makes the zones, and the sample plan if requested. Faults: Invalid for the request, as in
// core/stratification; those of Surfaces.
func (z *Zoning) Make(ctx context.Context, req Request) (Answer, error) {
	var out Answer
	var layers []layer.Layer
	var err error
	if req.Table != nil {
		out.Frame, layers, out.Corner, err = layer.FromTable(*req.Table, layer.TableOptions{
			CellSize: req.CellSize, EPSG: req.EPSG, EdgeMask: req.EdgeMask, Boundary: req.Boundary,
		})
	} else {
		out.Frame, layers, err = z.fromRasters(ctx, req)
	}
	if err != nil {
		return out, err
	}
	names := make([]string, len(layers))
	for i, l := range layers {
		names[i] = l.Name
	}
	if err := soil.WithSeed(req.Params.Check(names), req.Seed); err != nil {
		return out, err
	}
	req.Params = req.Params.Seeded(req.Seed)
	out.Result, err = zoning.Zones(ctx, &out.Frame, layers, req.Params,
		zoning.Work{Workers: runtime.GOMAXPROCS(0), Progress: req.Progress})
	if err != nil {
		return out, err
	}
	if err := plan.Recommend(effort.Of(ctx, 0), &out.Frame, &out.Result); err != nil {
		return out, err
	}
	return out, out.plan(effort.Of(ctx, 0), req, layers)
}

// fromRasters reads the rasters and samples them at the cells of a frame.
func (z *Zoning) fromRasters(ctx context.Context, req Request) (f frame.Frame, layers []layer.Layer, err error) {
	surfaces, err := z.read(ctx, req)
	if err != nil {
		return f, nil, err
	}
	if req.Boundary != nil {
		finest := math.Inf(1)
		for _, s := range surfaces {
			finest = min(finest, s.Metres())
		}
		f, err = frame.New(effort.Of(ctx, 0), []geo.MultiPolygon{req.Boundary}, frame.Options{
			CellSize: req.CellSize, LayerSize: finest, EPSG: req.EPSG, EdgeMask: req.EdgeMask,
		})
	} else {
		f, err = frameOfPixels(surfaces[0], req)
	}
	if err != nil {
		return f, nil, err
	}
	for _, s := range surfaces {
		layer, err := layer.Sample(&f, s, s.Source)
		if err != nil {
			return f, nil, err
		}
		layers = append(layers, layer)
	}
	return f, layers, nil
}

// read returns the rasters whose layers are wanted.
func (z *Zoning) read(ctx context.Context, req Request) ([]layer.Surface, error) {
	var out []layer.Surface
	var names []string
	for _, name := range req.Rasters {
		s, err := z.Surfaces.Surface(ctx, name, req.Boundary)
		if err != nil {
			return nil, err
		}
		names = append(names, s.Source)
		s.Classes = slices.Contains(req.Classes, s.Source)
		if len(req.Layers) == 0 || slices.Contains(req.Layers, s.Source) {
			out = append(out, s)
		}
	}
	for _, wanted := range slices.Concat(req.Layers, req.Classes) {
		if !slices.Contains(names, wanted) {
			return nil, fault.Field("layers", fmt.Sprintf("There is no raster %q; a raster's layer has the name of its file without the extension.", wanted))
		}
	}
	if len(out) == 0 {
		return nil, fault.Field("raster", "There is no raster to make zones from.")
	}
	return out, nil
}

// frameOfPixels makes a frame from the pixels of a raster that have a value.
func frameOfPixels(s layer.Surface, req Request) (frame.Frame, error) {
	var f frame.Frame
	if req.CellSize != 0 || req.EPSG != 0 {
		return f, fault.Field("cell_size", "Without a boundary the pixels of the first raster are the cells; cell size and EPSG code are theirs.")
	}
	if math.Abs(s.CellX-s.CellY) > 1e-6*s.CellX {
		return f, fault.Field("raster", fmt.Sprintf("The pixels of %s are not square (%g m × %g m); give a boundary, so that square cells can be laid over it.", s.Source, s.CellX, s.CellY))
	}
	epsg, err := utmOf(s)
	if err != nil {
		return f, err
	}
	g := frame.GridCells{EPSG: epsg, CellSize: s.CellX, OriginX: s.OriginX, OriginY: s.OriginY}
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			g.Places = append(g.Places, [2]int32{int32(i / s.Cols), int32(i % s.Cols)})
		}
		if len(g.Places) > frame.MaxCells {
			return f, fault.Field("raster", fmt.Sprintf("%s has more than %d pixels with a value; give a boundary.", s.Source, frame.MaxCells))
		}
	}
	f, _, err = frame.OfCells(g, nil, req.EdgeMask)
	return f, err
}

// utmOf returns the EPSG code of the UTM zone on WGS84 in which a raster's pixels are cells.
func utmOf(s layer.Surface) (int, error) {
	plane, err := geo.NewPlane(s.EPSG)
	utm, ok := plane.(geo.UTM)
	if err != nil || !ok {
		return 0, fault.Field("raster", fmt.Sprintf("%s is in EPSG:%d, in which cells cannot be made; give a boundary, over which they are made in UTM.", s.Source, s.EPSG))
	}
	return utm.EPSG(), nil
}

// plan makes the sample plan of the recommended zones, if one is asked for and there are any.
func (a *Answer) plan(budget *effort.Budget, req Request, layers []layer.Layer) error {
	if req.Plan == nil {
		return nil
	}
	for i := range a.Result.Candidates {
		c := &a.Result.Candidates[i]
		if !c.Recommended {
			continue
		}
		p := *req.Plan
		p.Scope = c.MapUUID
		p.CV, p.Rho2 = req.Params.CV, req.Params.Rho2
		var err error
		if p.Journey, err = soil.Journey(&a.Frame, req.Start, req.End); err != nil {
			return err
		}
		if p.Placement == plan.LatinHypercube {
			p.Layers = list.Map(a.Result.Used(), func(l zoning.LayerUse) string { return l.Name })
		}
		plan, err := plan.New(budget, &a.Frame, &c.Zoning, p.Seeded(req.Seed), layers...)
		if err != nil {
			return err
		}
		a.Plan = &plan
	}
	return nil
}
