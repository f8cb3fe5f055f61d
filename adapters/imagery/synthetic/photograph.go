package synthetic

import (
	"math"
	"time"

	"tilth/core/vegetation"
)

// Pixels are computed in whole numbers of 1/256 of a digital number, so that every machine computes
// the same ones; only the few values that a day and a crop share come from floating point.
const (
	steps = 256   // of a digital number
	unity = 10000 // digital numbers of reflectance 1
	// Each pixel is up to 1/800 brighter or darker than the mean, alike in all bands, which leaves
	// ratios as they are up to rounding: under 3e-4 of NDVI for a pixel and far less for a mean.
	// More noise would only make the files larger.
	gainBits = 16
	maxGain  = 1 << gainBits / 800
)

// bandsFine and bandsCoarse are the bands of the archive by the size of their pixels.
var (
	bandsFine   = []vegetation.Band{vegetation.B02, vegetation.B03, vegetation.B04, vegetation.B08}
	bandsCoarse = []vegetation.Band{vegetation.B05, vegetation.B11, vegetation.B12}
)

// spectrum is the reflectance of a surface by band, in steps of a digital number.
type spectrum map[vegetation.Band]int64

func newSpectrum(reflectance map[vegetation.Band]float64) spectrum {
	s := spectrum{}
	for band, r := range reflectance {
		s[band] = int64(math.Round(r * unity * steps))
	}
	return s
}

// plants returns the spectrum of soil under plants of an NDVI v. Red and near infrared have exactly
// that NDVI, and a sum of 0.40 for bare soil to 0.46 for a full canopy; the other bands follow as
// is typical for farmland.
func plants(v float64) spectrum {
	sum := 0.40 + 0.06*v
	red := sum * (1 - v) / 2
	return newSpectrum(map[vegetation.Band]float64{
		vegetation.B02: 0.018 + 0.42*red,
		vegetation.B03: 0.045 + 0.45*red,
		vegetation.B04: red,
		vegetation.B05: 0.05 + 0.75*red + 0.08*v,
		vegetation.B08: sum * (1 + v) / 2,
		vegetation.B11: 0.34 - 0.22*v,
		vegetation.B12: 0.27 - 0.23*v,
	})
}

var pond = newSpectrum(map[vegetation.Band]float64{
	vegetation.B02: 0.050, vegetation.B03: 0.045, vegetation.B04: 0.030, vegetation.B05: 0.025,
	vegetation.B08: 0.020, vegetation.B11: 0.012, vegetation.B12: 0.008,
})

// veil lies between the ground and the satellite: share sixteenths of it replace the ground.
type veil struct{ brightness, share int64 }

var veils = map[uint16]veil{
	sclShadow: {0, 10},
	sclMedium: {unity * steps * 45 / 100, 9},
	sclHigh:   {unity * steps * 65 / 100, 15},
}

// vegetated is the NDVI from which a pixel is classified as vegetation.
const vegetated = 0.3

// shot is what a satellite saw of the land on one day: digital numbers by band, and SCL,
// of the whole land, fine bands at 10 m and the others at 20 m.
type shot map[vegetation.Band][]uint16

// ground is a kind of cover on one day.
type ground struct {
	spectrum spectrum
	class    uint16
}

// grounds returns every kind of cover, by its number.
func (l *land) grounds(date time.Time) []ground {
	growing := func(c Curve) ground {
		v := c.NDVI(date)
		if v < vegetated {
			return ground{plants(v), sclBare}
		}
		return ground{plants(v), sclVegetation}
	}
	g := make([]ground, parcelsFrom, parcelsFrom+len(l.parcels))
	g[pasture], g[water], g[bare] = growing(background), ground{pond, sclWater}, growing(Curve{Base: 0.15, Peak: 0.15})
	for _, p := range l.parcels {
		g = append(g, growing(p.Curve))
	}
	return g
}

// photograph makes the pixels of a day.
func (l *land) photograph(day passDay, seed uint64) shot {
	_, addDN, _ := day.convention()
	l = l.on(day.date)
	grounds, sky := l.grounds(day.date), forecast(day.index, seed)
	scl := l.classify(grounds, sky)
	s := shot{vegetation.SCL: scl}
	gains := make([]int64, len(l.cover))
	for i := range gains {
		noise := mix(seed, uint64(day.index+1)<<40|uint64(i))
		gains[i] = 1<<gainBits + int64(noise%(2*maxGain+1)) - maxGain
	}
	for _, band := range bandsFine {
		dn, seen := make([]uint16, len(l.cover)), l.seen(grounds, band)
		for i, cover := range l.cover {
			dn[i] = digital(seen[cover][scl[cellOf(i)]], gains[i], addDN)
		}
		s[band] = dn
	}
	for _, band := range bandsCoarse {
		dn, seen := make([]uint16, len(scl)), l.seen(grounds, band)
		for cell, class := range scl {
			total := int64(0)
			corner := cornerOf(cell)
			for _, i := range []int{corner, corner + 1, corner + landWidth, corner + landWidth + 1} {
				total += seen[l.cover[i]][class]
			}
			dn[cell] = digital(total/4, gains[corner], addDN)
		}
		s[band] = dn
	}
	return s
}

// cells are the pixels of 20 m.
const cellsAcross = landWidth * fine / coarse

// cellOf returns the 20 m cell that holds a 10 m pixel, cornerOf the upper left pixel of a cell.
func cellOf(i int) int {
	return i/landWidth*fine/coarse*cellsAcross + i%landWidth*fine/coarse
}

func cornerOf(cell int) int {
	return cell/cellsAcross*coarse/fine*landWidth + cell%cellsAcross*coarse/fine
}

// classify makes the scene classification: the sky where it is not clear, else the ground at the
// upper left pixel of the cell.
func (l *land) classify(grounds []ground, sky weather) []uint16 {
	scl := make([]uint16, len(l.cover)*fine*fine/coarse/coarse)
	for cell := range scl {
		corner := cornerOf(cell)
		x := int64(landWest + fine*(corner%landWidth) + fine)
		y := int64(landNorth - fine*(corner/landWidth) - fine)
		if scl[cell] = sky.at(x, y); scl[cell] == 0 {
			scl[cell] = grounds[l.cover[corner]].class
		}
	}
	return scl
}

// seen returns the brightness of each cover under each class of sky, in steps.
func (l *land) seen(grounds []ground, band vegetation.Band) [][16]int64 {
	out := make([][16]int64, len(grounds))
	for cover, g := range grounds {
		for class := range out[cover] {
			v := veils[uint16(class)]
			out[cover][class] = (g.spectrum[band]*(16-v.share) + v.brightness*v.share) / 16
		}
	}
	return out
}

// digital rounds a brightness with its gain to a digital number. It is never 0, which would be
// nodata: the darkest surface, water in shadow, has some 30.
func digital(brightness, gain, add int64) uint16 {
	return uint16((brightness*gain>>gainBits+steps/2)/steps + add)
}
