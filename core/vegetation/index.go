package vegetation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tilth/core/fault"
)

// IndexCode names a vegetation index. Elsewhere the same code (NDWI above all) may name another
// formula; Index.Formula is the one meant here.
type IndexCode string

// The indices.
const (
	NDVI  IndexCode = "NDVI"
	GNDVI IndexCode = "GNDVI"
	NDRE  IndexCode = "NDRE"
	EVI   IndexCode = "EVI"
	EVI2  IndexCode = "EVI2"
	SAVI  IndexCode = "SAVI"
	OSAVI IndexCode = "OSAVI"
	MSAVI IndexCode = "MSAVI"
	NDMI  IndexCode = "NDMI"
	NDWI  IndexCode = "NDWI"
	CIre  IndexCode = "CIre"
	NBR   IndexCode = "NBR"
)

// Index is a vegetation index: a function of the reflectances of a few bands. ParseIndex and
// Indices return the known ones; the zero value is none.
type Index struct {
	Code    IndexCode
	Name    string
	Formula string // over band names, for the API reference
	Source  string // the publication that defines it
	bands   []Band
	eval    func(r []float64) (value float64, ok bool)
}

// Bands returns the bands of Evaluate, in its order.
func (x Index) Bands() []Band { return slices.Clone(x.bands) }

// IsZero reports whether this is the zero Index.
func (x Index) IsZero() bool { return x.eval == nil }

// Evaluate returns the index of one pixel from its reflectances (0…1, in the order of Bands); false
// where the denominator is not positive, or a normalised difference outside [-1, 1].
func (x Index) Evaluate(reflectances ...float64) (value float64, ok bool) {
	if len(reflectances) != len(x.bands) {
		return 0, false
	}
	return x.eval(reflectances)
}

// Indices returns all indices in the order of the documentation.
func Indices() []Index { return slices.Clone(indices) }

// ParseIndex finds an index by its code, in any case. Fault: Invalid, of the field "index_code".
func ParseIndex(code string) (Index, error) {
	var known []string
	for _, x := range indices {
		if strings.EqualFold(code, string(x.Code)) {
			return x, nil
		}
		known = append(known, string(x.Code))
	}
	return Index{}, fault.Field("index_code", fmt.Sprintf(
		"%.20q is not an index; choose one of %s.", code, strings.Join(known, ", ")))
}

// The table of indices. The publications define them for reflectance between 0 and 1.
var indices = []Index{
	normalisedDifference(NDVI, "Normalized difference vegetation index", B08, B04, "Rouse et al. 1974"),
	normalisedDifference(GNDVI, "Green normalized difference vegetation index", B08, B03, "Gitelson et al. 1996"),
	normalisedDifference(NDRE, "Normalized difference red edge index", B08, B05, "Barnes et al. 2000"),
	{
		EVI, "Enhanced vegetation index", "2.5 * (B08 - B04) / (B08 + 6 * B04 - 7.5 * B02 + 1)", "Huete et al. 2002", []Band{B08, B04, B02},
		func(r []float64) (float64, bool) { return quotient(2.5*(r[0]-r[1]), r[0]+6*r[1]-7.5*r[2]+1) },
	},
	{
		EVI2, "Two-band enhanced vegetation index", "2.5 * (B08 - B04) / (B08 + 2.4 * B04 + 1)", "Jiang et al. 2008", []Band{B08, B04},
		func(r []float64) (float64, bool) { return quotient(2.5*(r[0]-r[1]), r[0]+2.4*r[1]+1) },
	},
	{
		SAVI, "Soil adjusted vegetation index", "1.5 * (B08 - B04) / (B08 + B04 + 0.5)", "Huete 1988, L = 0.5", []Band{B08, B04},
		func(r []float64) (float64, bool) { return quotient(1.5*(r[0]-r[1]), r[0]+r[1]+0.5) },
	},
	{
		OSAVI, "Optimized soil adjusted vegetation index", "(B08 - B04) / (B08 + B04 + 0.16)", "Rondeaux et al. 1996", []Band{B08, B04},
		func(r []float64) (float64, bool) { return quotient(r[0]-r[1], r[0]+r[1]+0.16) },
	},
	{
		MSAVI, "Modified soil adjusted vegetation index", "(2 * B08 + 1 - sqrt((2 * B08 + 1)^2 - 8 * (B08 - B04))) / 2",
		"Qi et al. 1994 (MSAVI2)", []Band{B08, B04},
		func(r []float64) (float64, bool) {
			s := 2*r[0] + 1 // the radicand is (2·B08 − 1)² + 8·B04, hence never negative
			return (s - math.Sqrt(s*s-8*(r[0]-r[1]))) / 2, true
		},
	},
	normalisedDifference(NDMI, "Normalized difference moisture index", B08, B11, "Gao 1996"),
	normalisedDifference(NDWI, "Normalized difference water index (open water)", B03, B08, "McFeeters 1996"),
	{
		CIre, "Red edge chlorophyll index", "B08 / B05 - 1", "Gitelson et al. 2003", []Band{B08, B05},
		func(r []float64) (float64, bool) {
			v, ok := quotient(r[0], r[1])
			return v - 1, ok
		},
	},
	normalisedDifference(NBR, "Normalized burn ratio", B08, B12, "Key and Benson 2006"),
}

func normalisedDifference(code IndexCode, name string, a, b Band, source string) Index {
	return Index{
		Code: code, Name: name, Source: source,
		Formula: fmt.Sprintf("(%s - %s) / (%s + %s)", a, b, a, b),
		bands:   []Band{a, b},
		eval: func(r []float64) (float64, bool) {
			v, ok := quotient(r[0]-r[1], r[0]+r[1])
			return v, ok && v >= -1 && v <= 1
		},
	}
}

// quotient divides where the denominator is positive and the result a finite number.
func quotient(numerator, denominator float64) (float64, bool) {
	if !(denominator > 0) { // also refuses NaN
		return 0, false
	}
	v := numerator / denominator
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
