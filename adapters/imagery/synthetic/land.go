package synthetic

import (
	"slices"
	"time"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// The land is a raster of 10 m pixels in UTM zone 30 north, in the farmland east of
// Valladolid, cut from where the real tiles 30TUM and 30TVM overlap: 30TVM begins at
// 399 960 m, and both lie on the 20 m lattice of ESA's tiling.
const (
	epsg       = 32630
	landWest   = 397600 // m
	landNorth  = 4627000
	landWidth  = 492 // pixels of 10 m
	landHeight = 256
	tileWidth  = 256 // pixels; a tile is as high as the land
	fine       = 10  // m
	coarse     = 20
	margin     = 20 // m by which the crop of the plotted parcel extends beyond it
)

// tile is one of the two files of a band: the columns of the land from first on.
type tile struct {
	name  string // MGRS
	first int
}

// The tiles share 20 columns: 200 m.
var tiles = []tile{{"30TUM", 0}, {"30TVM", landWidth - tileWidth}}

func (t tile) grid(metres int) vegetation.Grid {
	return vegetation.Grid{
		EPSG: epsg, OriginX: float64(landWest + fine*t.first), OriginY: landNorth,
		PixelX: float64(metres), PixelY: float64(metres),
		Width: tileWidth * fine / metres, Height: landHeight * fine / metres,
	}
}

// The season: every fifth day, as Sentinel-2A and 2B pass over in turn.
var (
	seasonFrom = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	seasonTo   = time.Date(2025, 10, 31, 0, 0, 0, 0, time.UTC)
	// newBaseline is the day from which digital numbers have an offset, which exposes programs that
	// forget it or apply it twice.
	newBaseline = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)
)

const (
	revisit  = 5 // days
	passHour = 11
	passMin  = 6
)

type passDay struct {
	index int
	date  time.Time // midnight, UTC
}

// calendar returns every n-th day of the season on which a satellite passes over, n being every.
func calendar(every int) []passDay { return passes(seasonFrom, seasonTo, 0, every) }

// passes returns every n-th day of a season on which a satellite passes over, n being every. Passes are numbered from first on.
func passes(from, to time.Time, first, every int) []passDay {
	var days []passDay
	for n := 0; ; n += every {
		date := from.AddDate(0, 0, n*revisit)
		if date.After(to) {
			return days
		}
		days = append(days, passDay{first + n, date})
	}
}

func (d passDay) platform() string {
	if d.index%2 == 0 {
		return "sentinel-2a"
	}
	return "sentinel-2b"
}

// convention returns the processing baseline and the offsets of digital numbers and reflectances.
func (d passDay) convention() (baseline string, addDN int64, offset float64) {
	if d.date.Before(newBaseline) {
		return "03.01", 0, 0
	}
	return "05.11", 1000, -0.1
}

// The cover of a pixel: one of these, or a parcel by its place in the list.
const (
	pasture = iota
	water
	bare
	parcelsFrom // the first parcel
)

type land struct {
	parcels []Parcel
	cover   []int   // by pixel; pasture where nothing else is
	inside  [][]int // by parcel: pixels whose centre is in the polygon
	patches []patch
}

// patch is a [Patch] as pixels.
type patch struct {
	from   time.Time
	pixels []int
}

func survey(patches []Patch) (*land, error) {
	utm, err := geo.NewUTM(epsg)
	if err != nil {
		return nil, err
	}
	l := &land{parcels: parcels(), cover: make([]int, landWidth*landHeight)}
	for p, parcel := range l.parcels {
		shape := utm.Project(parcel.Boundary)
		l.inside = append(l.inside, nil)
		grown := shape.Bounds()
		grown.MinX, grown.MinY, grown.MaxX, grown.MaxY = grown.MinX-margin, grown.MinY-margin, grown.MaxX+margin, grown.MaxY+margin
		for i := range l.cover {
			centre := centreOf(i)
			if !grown.Intersects(geo.Box{MinX: centre.X, MinY: centre.Y, MaxX: centre.X, MaxY: centre.Y}) {
				continue
			}
			switch crossings := edgesEastOf(shape, centre); {
			case crossings%2 == 1:
				l.inside[p] = append(l.inside[p], i)
				l.cover[i] = parcelsFrom + p
			case crossings > 0 && edgesEastOf(outerRings(shape), centre)%2 == 1:
				l.cover[i] = water
			case parcel.Name == plotted:
				l.cover[i] = parcelsFrom + p
			}
		}
	}
	for _, p := range patches {
		dead, shape := patch{from: p.From}, utm.Project(p.Where)
		for i := range l.cover {
			if edgesEastOf(shape, centreOf(i))%2 == 1 {
				dead.pixels = append(dead.pixels, i)
			}
		}
		l.patches = append(l.patches, dead)
	}
	return l, nil
}

// centreOf returns the centre of a pixel.
func centreOf(i int) geo.Position {
	return geo.Position{X: float64(landWest + fine*(i%landWidth) + fine/2), Y: float64(landNorth - fine*(i/landWidth) - fine/2)}
}

// on returns the land as it is on a day: with the patches whose plants are dead by then.
func (l *land) on(date time.Time) *land {
	is := *l
	for _, p := range l.patches {
		if date.Before(p.from) {
			continue
		}
		is.cover = slices.Clone(is.cover)
		for _, i := range p.pixels {
			is.cover[i] = bare
		}
	}
	return &is
}

func outerRings(m geo.MultiPolygon) geo.MultiPolygon {
	var out geo.MultiPolygon
	for _, p := range m {
		out = append(out, p[:1])
	}
	return out
}

// edgesEastOf counts the edges that a ray from p to the east crosses; an odd number means
// inside, holes and parts included.
func edgesEastOf(m geo.MultiPolygon, p geo.Position) int {
	n := 0
	for _, polygon := range m {
		for _, r := range polygon {
			for i := 1; i < len(r); i++ {
				a, b := r[i-1], r[i]
				if (a.Y > p.Y) == (b.Y > p.Y) {
					continue
				}
				if a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) > p.X {
					n++
				}
			}
		}
	}
	return n
}
