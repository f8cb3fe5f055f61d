package cog

import (
	"encoding/xml"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/core/geo"
)

// Sample formats of TIFF 6.0, section 19.
const (
	formatUnsigned = 1
	formatSigned   = 2
	formatFloat    = 3
)

const (
	planarSeparate = 2       // TIFF's PlanarConfiguration
	maxBands       = 64      // of a raster of numbers
	maxMetadata    = 1 << 20 // bytes of GDAL's metadata
	webMercator    = 3857
	degreesWGS84   = 4326
)

func (h *header) readSamples(r *headerReader) error {
	v := map[uint16]int64{tagSamples: 1, tagFillOrder: 1, tagCompression: 1, tagPredictor: 1, tagPlanar: 1}
	r.overwrite(v)
	if v[tagSamples] < 1 || v[tagSamples] > maxBands {
		return unsupported(r.name, "it has %d bands, and at most %d are read", v[tagSamples], maxBands)
	}
	bits := ofAllSamples(r, tagBits)
	h.format = ofAllSamples(r, tagSampleFormat)
	h.bands, h.inBlock, h.planes = int(v[tagSamples]), int(v[tagSamples]), 1
	if v[tagPlanar] == planarSeparate {
		h.inBlock, h.planes = 1, h.bands
	}
	h.bits, h.predictor, h.codec = int(bits), int(v[tagPredictor]), codec(v[tagCompression])
	switch {
	case !readable(h.format, bits):
		return unsupported(r.name, "it holds %s of %d bits; integers of 8 to 32 bits and floating point numbers of 32 and 64 bits are read", formatName(h.format), bits)
	case v[tagFillOrder] != 1:
		return unsupported(r.name, "its bits are stored in reverse")
	case h.predictor < predictorNone || h.predictor > predictorFloat:
		return unsupported(r.name, "predictor %d is not read, only 1, 2 and 3", h.predictor)
	case h.predictor == predictorFloat && h.format != formatFloat:
		return unsupported(r.name, "predictor 3 is for floating point numbers only")
	case h.predictor == predictorHorizontal && bits%8 != 0:
		return unsupported(r.name, "predictor 2 is read at 8, 16 and 32 bits, not at %d", bits)
	case !h.codec.known():
		return unsupported(r.name, "compression %s is not read", h.codec)
	}
	return nil
}

// formatName is for messages (TIFF 6.0, section 19; 5 and 6 are libtiff's).
func formatName(format int64) string {
	names := map[int64]string{formatUnsigned: "unsigned integers", formatSigned: "signed integers", formatFloat: "floating point numbers", 5: "complex integers", 6: "complex numbers"}
	if name, ok := names[format]; ok {
		return name
	}
	return fmt.Sprintf("numbers of format %d", format)
}

// readable reports which numbers are supported. Fewer than 8 bits, or 9 to 15, are GDAL's NBITS.
func readable(format, bits int64) bool {
	switch format {
	case formatUnsigned:
		return bits >= 1 && bits <= 16 || bits == 32
	case formatSigned:
		return bits == 8 || bits == 16 || bits == 32
	case formatFloat:
		return bits == 32 || bits == 64
	}
	return false
}

// ofAllSamples returns the common value of a tag that has one for each sample; 1 where it is
// absent.
func ofAllSamples(r *headerReader, tag uint16) int64 {
	values := r.integers(tag, maxBands)
	if len(values) == 0 {
		return 1
	}
	if slices.Min(values) != slices.Max(values) {
		r.fail(unsupported(r.name, "its bands hold numbers of different kinds"))
	}
	return values[0]
}

// readPlace is a readGeoreference that also accepts degrees (GeoTIFF 1.1, GeodeticCRSGeoKey).
func (h *header) readPlace(r *headerReader) error {
	keys := geoKeys(r)
	epsg, projected := keys[keyProjectedCRS]
	if !projected {
		epsg = keys[keyGeographicCRS]
	}
	if epsg != webMercator && epsg != degreesWGS84 {
		if _, err := geo.NewPlane(int(epsg)); err != nil {
			return unsupported(r.name, "its coordinate system (EPSG:%d) is not one of EPSG:4326, 3857, 3035, 27700, 28992 and UTM zones of WGS84, ETRS89, NAD83, GDA94 and GDA2020; reproject it, for instance with gdalwarp -t_srs EPSG:4326", epsg)
		}
	}
	return h.readGrid(r, epsg, keys[keyRasterType])
}

// gdalMetadata is the XML of GDAL's tag 42112, as its GeoTIFF driver documents it.
type gdalMetadata struct {
	Items []struct {
		Name   string `xml:"name,attr"`
		Role   string `xml:"role,attr"`
		Sample int    `xml:"sample,attr"`
		Text   string `xml:",chardata"`
	} `xml:"Item"`
}

// readScales reads the scale and offset of the bands, and the notes; metadata that is not GDAL's is ignored.
func (h *header) readScales(r *headerReader) error {
	h.scales = slices.Repeat([]scaling{{scale: 1}}, h.bands)
	var m gdalMetadata
	if xml.Unmarshal([]byte(r.text(tagMetadata, maxMetadata)), &m) != nil {
		return nil
	}
	h.notes = map[string]string{}
	for _, item := range m.Items {
		if item.Role == "" {
			h.notes[item.Name] = html.UnescapeString(item.Text) // GDAL escapes it twice
		}
		if item.Sample < 0 || item.Sample >= h.bands {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(item.Text), 64)
		role := strings.ToLower(item.Role)
		switch {
		case role != "scale" && role != "offset":
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0) || role == "scale" && v == 0:
			return broken(r.name, "its %s %q is not a usable number", role, item.Text)
		case role == "scale":
			h.scales[item.Sample].scale, h.scales[item.Sample].hasScale = v, true
		default:
			h.scales[item.Sample].offset, h.scales[item.Sample].hasOffset = v, true
		}
	}
	return nil
}
