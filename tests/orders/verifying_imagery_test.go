package orders

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"tilth/core/cropcheck"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// sky is synthetic imagery of one place on earth where everything grows as a
// reference curve prescribes: Sentinel-2 scenes every eight days, free of clouds.
type sky struct {
	curve cropcheck.Curve
	year  cropcheck.GrowingYear
	epsg  int

	mu       sync.Mutex
	searches int
	outAfter int    // searches after which the source is unavailable; 0: never
	during   func() // called by the next search, once
}

func (s *sky) Describe() string { return "a curve" }

// every is the number of days between scenes.
const every = 8

func (s *sky) Search(_ context.Context, _ geo.MultiPolygon, from, to time.Time) (out []vegetation.Scene, err error) {
	s.mu.Lock()
	s.searches++
	out1, call := s.outAfter > 0 && s.searches > s.outAfter, s.during
	s.during = nil
	s.mu.Unlock()
	if call != nil {
		call()
	}
	if out1 {
		return nil, fault.New(fault.Unavailable, "imagery_unavailable", "The source is out.")
	}
	bands := map[vegetation.Band]bool{vegetation.B02: true, vegetation.B04: true, vegetation.B08: true, vegetation.SCL: true}
	for at := from.Truncate(24 * time.Hour).Add(14 * time.Hour); at.Before(to); at = at.AddDate(0, 0, every) {
		if !at.Before(from) {
			out = append(out, vegetation.Scene{
				ID: at.Format(time.DateOnly), Platform: "sentinel-2a", Tile: "one", RelativeOrbit: 1, SensedAt: at, Bands: bands, Synthetic: true,
			})
		}
	}
	return out, nil
}

// Grid is 40 km of 10 m pixels around the middle of the part of the zone that the tests use.
func (s *sky) Grid(context.Context, vegetation.Scene, vegetation.Band) (vegetation.Grid, error) {
	utm, err := geo.NewUTM(s.epsg)
	if err != nil {
		return vegetation.Grid{}, err
	}
	corner := utm.Project(square(matoGrosso))[0][0][0]
	if s.epsg != zoneOfMatoGrosso {
		corner = utm.Project(square(elsewhere))[0][0][0]
	}
	return vegetation.Grid{
		EPSG: s.epsg, OriginX: math.Floor(corner.X/100)*100 - 20_000, OriginY: math.Floor(corner.Y/100)*100 + 20_000, PixelX: 10, PixelY: 10, Width: 4000, Height: 4000,
	}, nil
}

func (s *sky) Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	grid, err := s.Grid(ctx, scene, band)
	if err != nil {
		return vegetation.Raster{}, err
	}
	r := vegetation.Raster{Grid: w.Of(grid), DN: make([]uint16, w.Width*w.Height), HasNoData: true, Scale: 0.0001}
	value := uint16(4) // SCL: vegetation
	if band != vegetation.SCL {
		r.Scale = 0.0001
		value = uint16(math.Round(s.reflectance(scene.SensedAt, band) * 10_000))
	}
	for i := range r.DN {
		r.DN[i] = value
	}
	return r, nil
}

// blue is the reflectance of the blue band, whatever grows.
const blue = 0.04

// reflectance returns the reflectance that has both the NDVI and the EVI of the curve: with q = red/nir
// = (1 - NDVI)/(1 + NDVI), EVI = 2.5 nir (1 - q) / (nir (1 + 6q) + 1 - 7.5 blue) is solved for nir.
func (s *sky) reflectance(at time.Time, band vegetation.Band) float64 {
	ndvi, evi := s.on(at)
	q := (1 - ndvi) / (1 + ndvi)
	nir := evi * (1 - 7.5*blue) / (2.5*(1-q) - evi*(1+6*q))
	switch band {
	case vegetation.B02:
		return blue
	case vegetation.B04:
		return q * nir
	case vegetation.B08:
		return nir
	}
	panic(fmt.Sprintf("no band %s", band))
}

// on returns the curve's indices on a day, linear between its steps.
func (s *sky) on(at time.Time) (ndvi, evi float64) {
	begin := time.Date(at.Year(), s.year.Month, s.year.Day, 0, 0, 0, 0, time.UTC)
	if begin.After(at) {
		begin = begin.AddDate(-1, 0, 0)
	}
	day := int(at.Sub(begin) / (24 * time.Hour))
	steps := s.curve.Steps
	i := slices.IndexFunc(steps, func(c cropcheck.Step) bool { return c.Day >= day })
	switch i {
	case -1:
		i = len(steps) - 1
		return steps[i].NDVI, steps[i].EVI
	case 0:
		return steps[0].NDVI, steps[0].EVI
	}
	a, b := steps[i-1], steps[i]
	t := float64(day-a.Day) / float64(b.Day-a.Day)
	return a.NDVI + t*(b.NDVI-a.NDVI), a.EVI + t*(b.EVI-a.EVI)
}

// Corners of fields, and the UTM zones that they lie in.
var (
	matoGrosso = geo.Position{X: -55.5, Y: -13}
	elsewhere  = geo.Position{X: 9.1, Y: 45}
)

const (
	zoneOfMatoGrosso = 32721
	zoneElsewhere    = 32632
)

// square is a field of about 200 m.
func square(at geo.Position) geo.MultiPolygon {
	const d = 0.002
	return geo.MultiPolygon{{{at, {X: at.X + d, Y: at.Y}, {X: at.X + d, Y: at.Y + d}, {X: at.X, Y: at.Y + d}, at}}}
}
