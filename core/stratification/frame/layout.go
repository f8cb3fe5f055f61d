package frame

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/vegetation"
)

// The bounds and defaults of a frame.
const (
	MinCells = 30
	MaxCells = 200_000

	DefaultCellSize = 10.0  // metres: a Sentinel-2 pixel
	coarseSize      = 20.0  // above coarseAbove
	coarseAbove     = 500.0 // hectares
	fineSize        = 5.0   // below fineBelow, where the layers are that fine
	fineBelow       = 5.0   // hectares
	MinCellSize     = 1.0
	MaxCellSize     = 1000.0
	maxEdgeMask     = 10
	MaxDistanceKM   = 100.0 // of a field from the centroid of all
	M2PerHectare    = 10_000.0
)

// Options are the choices of a frame.
type Options struct {
	CellSize  float64 // metres; 0 chooses by the area
	LayerSize float64 // cell size of the finest layer in metres; 0 when it is not known
	EdgeMask  int     // cells masked along the edges of fields; 0 masks none
	EPSG      int     // of the UTM zone; 0 chooses that of the centroid
}

// New lays a grid over fields (WGS84, valid geometries). The corners of its cells are multiples of
// the cell size: 10 m, 20 m above 500 ha, 5 m below 5 ha where a layer is that fine, doubled until
// there are at most MaxCells. Where masking the edges would leave fewer than MinCells, nothing is
// masked. Fields may overlap: their common area counts once.
//
// Faults: Invalid for options out of range, for fields more than 100 km from the centroid of all,
// and with the code frame_too_small for fewer than MinCells cells.
// The budget's error when the budget ends; each pair of edges compared is one of its steps.
func New(budget *effort.Budget, fields []geo.MultiPolygon, opts Options) (Frame, error) {
	if err := opts.check(); err != nil {
		return Frame{}, err
	}
	if len(fields) == 0 {
		return Frame{}, fault.Field("fields", "The area of interest has no fields.")
	}
	centre, err := centreOf(fields)
	if err != nil {
		return Frame{}, err
	}
	f := Frame{EPSG: cmp.Or(opts.EPSG, geo.UTMZoneEPSG(centre)), EdgeMask: opts.EdgeMask}
	utm, err := geo.NewUTM(f.EPSG)
	if err != nil {
		return Frame{}, err
	}
	f.Fields = list.Map(fields, utm.Project)
	if err := f.dissolve(budget); err != nil {
		return Frame{}, err
	}
	if err := f.chooseGrid(opts); err != nil {
		return Frame{}, err
	}
	return f, f.finish()
}

func (o Options) check() error {
	fields := fault.Fields{}
	fields.AddIf(o.CellSize != 0 && !(o.CellSize >= MinCellSize && o.CellSize <= MaxCellSize),
		"cell_size", "A cell must be %g to %g m wide.", MinCellSize, MaxCellSize)
	fields.AddIf(o.EdgeMask < 0 || o.EdgeMask > maxEdgeMask, "edge_mask", "The mask along the edges must be 0 to %d cells wide.", maxEdgeMask)
	return fields.Err()
}

// centreOf returns the centroid of the fields (degrees) and refuses fields too far from it.
func centreOf(fields []geo.MultiPolygon) (geo.Position, error) {
	for i, field := range fields {
		if len(field) == 0 {
			return geo.Position{}, fault.Field("fields", fmt.Sprintf("Field %d has no boundary.", i+1))
		}
	}
	centre, far := Centroid(fields)
	for i := range fields {
		if problem, ok := far[i]; ok {
			return centre, fault.Field("fields", fmt.Sprintf("Field %d %s", i+1, problem))
		}
	}
	return centre, nil
}

// Centroid returns the centroid of all fields (degrees), weighted by area, and a message by index for each
// field whose own centroid lies too far from it. Fields on both sides of the antimeridian are neighbours.
func Centroid(fields []geo.MultiPolygon) (centre geo.Position, far map[int]string) {
	total := 0.0
	middles := list.Map(fields, geo.MultiPolygon.Centroid)
	for i, field := range fields {
		area := geo.AreaM2(field)
		centre.X += float64(area * geo.Turned(middles[i].X, middles[0].X))
		centre.Y += float64(area * middles[i].Y)
		total += area
	}
	centre.X, centre.Y = geo.Turned(centre.X/total, 0), centre.Y/total
	far = map[int]string{}
	for i, middle := range middles {
		if km := geo.Distance(centre, middle) / 1000; !(km <= MaxDistanceKM) {
			far[i] = fmt.Sprintf("lies %.0f km from the middle of the area of interest; at most %.0f km are allowed. "+
				"Create a separate area of interest for it.", km, MaxDistanceKM)
		}
	}
	return centre, far
}

func (f *Frame) dissolve(budget *effort.Budget) error {
	whole, err := geo.Union(budget, f.Fields...)
	if err := budget.Err(); err != nil {
		return err
	}
	if err != nil {
		return fault.New(fault.Invalid, "fields_overlay", "The fields' boundaries cannot be combined.").Because(err)
	}
	f.AOI = whole
	f.AreaHa = f.Hectares(whole)
	return nil
}

func (f *Frame) chooseGrid(opts Options) error {
	f.CellSize = opts.CellSize
	if f.CellSize == 0 {
		switch {
		case f.AreaHa > coarseAbove:
			f.CellSize = coarseSize
		case f.AreaHa < fineBelow && opts.LayerSize > 0 && opts.LayerSize <= fineSize:
			f.CellSize = fineSize
		default:
			f.CellSize = DefaultCellSize
		}
	}
	for f.AreaHa*M2PerHectare/(f.CellSize*f.CellSize) > MaxCells {
		f.CellSize *= 2
	}
	for box := f.AOI.Bounds(); ; f.CellSize *= 2 { // there are slightly more cells than the area suggests
		f.OriginX = math.Floor(box.MinX/f.CellSize) * f.CellSize
		f.OriginY = math.Ceil(box.MaxY/f.CellSize) * f.CellSize
		if err := f.cellsOfFields(); err != nil || len(f.Cells) <= MaxCells {
			return err
		}
	}
}

// cellsOfFields keeps the grid's cells whose centre lies in a field, each once.
func (f *Frame) cellsOfFields() error {
	box := f.AOI.Bounds()
	f.Cols = int(math.Ceil((box.MaxX - f.OriginX) / f.CellSize))
	f.Rows = int(math.Ceil((f.OriginY - box.MinY) / f.CellSize))
	f.Cells = f.Cells[:0]
	for i, field := range f.Fields {
		in, err := vegetation.Centres(field, f.Raster())
		if err != nil {
			return err
		}
		for _, c := range in {
			f.Cells = append(f.Cells, Cell{Row: int32(c.Row), Col: int32(c.Col), Field: int32(i)})
		}
	}
	slices.SortFunc(f.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Field, b.Field))
	})
	f.Cells = slices.CompactFunc(f.Cells, func(a, b Cell) bool { return a.Row == b.Row && a.Col == b.Col })
	return nil
}

// Raster returns the frame as a raster's georeference.
func (f *Frame) Raster() vegetation.Grid {
	return vegetation.Grid{
		EPSG: f.EPSG, OriginX: f.OriginX, OriginY: f.OriginY,
		PixelX: f.CellSize, PixelY: f.CellSize, Width: f.Cols, Height: f.Rows,
	}
}

// finish masks the edges and builds the tables that find cells.
func (f *Frame) finish() error {
	if len(f.Cells) < MinCells {
		return fault.Newf(fault.Invalid, "frame_too_small",
			"The area of interest has %d cells of %g m; zones need at least %d. Choose a larger area or a smaller cell.",
			len(f.Cells), f.CellSize, MinCells).With("cells", len(f.Cells)).With("cell_size", f.CellSize)
	}
	f.index()
	return nil
}

func (f *Frame) index() {
	f.indexRows()
	f.maskEdges()
	f.findFringe()
}

// Centre returns easting and northing of a cell's centre.
func (f *Frame) Centre(i int) geo.Position {
	c := f.Cells[i]
	return geo.Position{
		X: f.OriginX + float64((float64(c.Col)+0.5)*f.CellSize),
		Y: f.OriginY - float64((float64(c.Row)+0.5)*f.CellSize),
	}
}

// Unmasked returns the indices of the cells that are not masked, in order.
func (f *Frame) Unmasked() []int32 {
	out := make([]int32, 0, len(f.Cells))
	for i, c := range f.Cells {
		if !c.Masked {
			out = append(out, int32(i))
		}
	}
	return out
}

// FieldAt returns the index of the field that holds a place: likely if that field or none does, otherwise the first that does.
func (f *Frame) FieldAt(p geo.Position, likely int) int {
	if f.Fields[likely].Contains(p) {
		return likely
	}
	for i, field := range f.Fields {
		if field.Contains(p) {
			return i
		}
	}
	return likely
}

// Grid returns the frame as a raster's georeference with its cells.
func (f *Frame) Grid() (vegetation.Grid, []vegetation.Cell) {
	return f.Raster(), list.Map(f.Cells, func(c Cell) vegetation.Cell {
		return vegetation.Cell{Col: int(c.Col), Row: int(c.Row), Weight: 1}
	})
}
