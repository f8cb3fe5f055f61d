package vegetation

import (
	"slices"
	"strings"
)

// DatasetCode names a data set.
type DatasetCode string

// The data sets.
const (
	SentinelL2A DatasetCode = "sentinel-2-l2a"
	HLSS30      DatasetCode = "hls-s30"
	HLSL30      DatasetCode = "hls-l30"
	LandsatC2L2 DatasetCode = "landsat-c2-l2"
)

// Dataset describes how the scenes of one product are read. The zero value is no data set.
type Dataset struct {
	Code        DatasetCode
	Title       string
	Collections []string // the prefixes of collection ids, in lower case
	Products    []string // the prefixes of item ids
	Platform    string   // where the item names none
	// Bands are the roles of the product's bands, by the names and keys that catalogs use, in lower
	// case. A role has the name of Sentinel-2's band in that part of the spectrum; SCL is the mask.
	Bands map[string]Band
	// Scale and Offset apply where neither the item nor the file states them; the offset of Sentinel-2 depends on the baseline.
	Scale, Offset    float64
	NoData           float64 // of reflectances
	MaskNoData       float64
	Flags            []Flag  // of the mask; the first that is set counts; without flags the mask holds classes
	Bits             Bits    // the name of the mask's bits, where it holds bits
	Metres           float64 // of the red band's pixels
	Tiling           string
	OffsetByBaseline bool
}

// Flag is a bit of a mask, and the class that it stands for.
type Flag struct {
	Bit   int
	Class Class
}

// The bands of Sentinel-2, by ESA's names and by those common names that mean one band only
// ("rededge" means three).
var (
	visible     = map[string]Band{"b02": B02, "b03": B03, "b04": B04, "blue": B02, "green": B03, "red": B04}
	commonNames = merge(visible, map[string]Band{"nir": B08, "swir16": B11, "swir22": B12})
	sentinel    = merge(commonNames, map[string]Band{
		"b05": B05, "b06": B06, "b07": B07, "b08": B08, "b11": B11, "b12": B12, "b8a": B8A, "nir08": B8A, "rededge1": B05, "rededge2": B06, "rededge3": B07,
	})
)

// The bands of Landsat, also by the numbers of its instruments: OLI of Landsat 8 and 9, TM and ETM+ of the earlier ones.
var (
	landsat = map[string]Band{"blue": B02, "green": B03, "red": B04, "nir08": B08, "nir": B08, "swir16": B11, "swir22": B12, "qa_pixel": SCL}
	oli     = merge(landsat, map[string]Band{"sr_b2": B02, "sr_b3": B03, "sr_b4": B04, "sr_b5": B08, "sr_b6": B11, "sr_b7": B12})
	tm      = merge(landsat, map[string]Band{"sr_b1": B02, "sr_b2": B03, "sr_b3": B04, "sr_b4": B08, "sr_b5": B11, "sr_b7": B12})
)

func merge(all ...map[string]Band) map[string]Band {
	out := map[string]Band{}
	for _, one := range all {
		for name, band := range one {
			out[name] = band
		}
	}
	return out
}

// The table of data sets. Sources: ESA's product definition of Sentinel-2 L2A; the user guide of HLS
// 2.0 (tables 9 and 19: bands, Fmask); the product guide of Landsat Collection 2 level 2 (scale,
// offset, QA_PIXEL).
var datasets = []Dataset{
	{
		Code: SentinelL2A, Title: "Sentinel-2 level 2A", Platform: "sentinel-2",
		Bands: merge(sentinel, map[string]Band{"scl": SCL, "cld": CLP, "cloud": CLP, "clp": CLP, "msk_cldprb": CLP}),
		Scale: 0.0001, Metres: 10, Tiling: "MGRS", OffsetByBaseline: true,
	},
	{
		Code: HLSS30, Title: "HLS 2.0 S30 (Sentinel-2)", Collections: []string{"hlss30", "hls2-s30"}, Products: []string{"HLS.S30."}, Platform: "sentinel-2",
		Bands: merge(sentinel, map[string]Band{"fmask": SCL}),
		Scale: 0.0001, NoData: -9999, MaskNoData: 255, Flags: fmask, Bits: BitsFmask, Metres: 30, Tiling: "MGRS",
	},
	{
		Code: HLSL30, Title: "HLS 2.0 L30 (Landsat)", Collections: []string{"hlsl30", "hls2-l30"}, Products: []string{"HLS.L30."}, Platform: "landsat",
		Bands: merge(commonNames, map[string]Band{"b05": B08, "b06": B11, "b07": B12, "nir08": B08, "fmask": SCL}),
		Scale: 0.0001, NoData: -9999, MaskNoData: 255, Flags: fmask, Bits: BitsFmask, Metres: 30, Tiling: "MGRS",
	},
	{
		Code: LandsatC2L2, Title: "Landsat Collection 2 level 2", Collections: []string{"landsat-c2-l2", "landsat-c2l2-sr"},
		Products: []string{"LC09_L2S", "LC08_L2S", "LE07_L2S", "LT05_L2S", "LT04_L2S"}, Platform: "landsat",
		Bands: landsat,
		Scale: 0.0000275, Offset: -0.2, MaskNoData: 1, Flags: qaPixel, Bits: BitsQAPixel, Metres: 30, Tiling: "WRS-2",
	},
}

// The bits of the masks. A clear pixel is taken as vegetation: the masks do not distinguish it from bare ground.
var (
	fmask = []Flag{{1, ClassCloud}, {3, ClassShadow}, {2, ClassNearCloud}, {4, ClassSnow}, {5, ClassWater}}

	qaPixel = []Flag{{0, ClassNoData}, {3, ClassCloud}, {4, ClassShadow}, {2, ClassCirrus}, {1, ClassNearCloud}, {5, ClassSnow}, {7, ClassWater}}
)

// Datasets returns all data sets in the order of the documentation.
func Datasets() []Dataset { return slices.Clone(datasets) }

// DatasetOf returns the data set of a catalog's item, by its collection or else by its id:
// Sentinel-2 L2A where neither names another.
func DatasetOf(collection, id string) Dataset {
	starts := func(name string, with []string) bool {
		return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	collection = strings.ToLower(collection)
	for _, d := range datasets {
		if !starts(collection, d.Collections) && !starts(id, d.Products) {
			continue
		}
		switch {
		case starts(id, []string{"LC08_", "LC09_"}):
			d.Bands = oli
		case starts(id, []string{"LE07_", "LT05_", "LT04_"}):
			d.Bands = tm
		}
		return d
	}
	return datasets[0]
}

// Classes returns a mask with its numbers converted to classes of the scene classification, beside the original bits.
func (d Dataset) Classes(r Raster) Raster {
	if len(d.Flags) == 0 {
		return r
	}
	classes, bits := make([]uint16, r.Grid.Width*r.Grid.Height), make([]uint16, r.Grid.Width*r.Grid.Height)
	for i := range classes {
		number, ok := r.At(i%r.Grid.Width, i/r.Grid.Width)
		if ok && number != d.MaskNoData {
			bits[i] = uint16(classOf(number))
			classes[i] = uint16(d.class(bits[i]))
		}
	}
	return Raster{Grid: r.Grid, DN: classes, Scale: r.Scale, Bits: bits, BitsOf: d.Bits}
}

func (d Dataset) class(bits uint16) Class {
	for _, f := range d.Flags {
		if bits>>f.Bit&1 == 1 {
			return f.Class
		}
	}
	return ClassVegetation
}
