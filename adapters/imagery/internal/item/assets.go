package item

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"tilth/core/vegetation"
)

// dnScale is the scale of ESA's Sentinel-2 L2A digital numbers (QUANTIFICATION_VALUE 10 000 of the
// product's metadata).
const dnScale = 0.0001

// assetDocument has the members of STAC 1.0 with the eo and raster extensions, and those of STAC
// 1.1, which moved both into "bands".
type assetDocument struct {
	Href       string         `json:"href"`
	Type       string         `json:"type"`
	Roles      []string       `json:"roles"`
	GSD        float64        `json:"gsd"`
	EOBands    []bandDocument `json:"eo:bands"`
	Bands      []bandDocument `json:"bands"`
	RasterBand []bandDocument `json:"raster:bands"`
	// Of STAC's file extension.
	Size     json.RawMessage `json:"file:size"`
	Checksum json.RawMessage `json:"file:checksum"`
	bandDocument
}

type bandDocument struct {
	Name       string   `json:"name"`
	CommonName string   `json:"common_name"`
	Common11   string   `json:"eo:common_name"`
	Scale      *float64 `json:"scale"`
	Offset     *float64 `json:"offset"`
	NoData     any      `json:"nodata"`
	Resolution float64  `json:"spatial_resolution"`
	Scale11    *float64 `json:"raster:scale"`
	Offset11   *float64 `json:"raster:offset"`
}

// bandNames are, in lower case, ESA's names of the bands, those of Earth Search, and the common names
// of one band only ("rededge" means three).
var bandNames = map[string]vegetation.Band{
	"b02": vegetation.B02, "b03": vegetation.B03, "b04": vegetation.B04, "b05": vegetation.B05, "b06": vegetation.B06,
	"b07": vegetation.B07, "b08": vegetation.B08, "b11": vegetation.B11, "b12": vegetation.B12, "scl": vegetation.SCL,
	"blue": vegetation.B02, "green": vegetation.B03, "red": vegetation.B04,
	"rededge1": vegetation.B05, "rededge2": vegetation.B06, "rededge3": vegetation.B07,
	"nir": vegetation.B08, "swir16": vegetation.B11, "swir22": vegetation.B12,
}

// resolutionSuffix is the suffix of keys in Copernicus Data Space: "B04_10m".
var resolutionSuffix = regexp.MustCompile(`_\d+m$`)

// bands finds the file of each band: of two files the finer, then the one whose key comes first. It
// reports whether bands are JPEG 2000.
func bands(assets map[string]assetDocument) (map[vegetation.Band]Asset, bool) {
	found := map[vegetation.Band]Asset{}
	jpeg2000 := false
	for _, key := range slices.Sorted(maps.Keys(assets)) {
		a := assets[key]
		band, ok := a.band(key)
		if !ok {
			continue
		}
		if strings.Contains(a.Type, "jp2") || strings.HasSuffix(strings.ToLower(a.Href), ".jp2") {
			jpeg2000 = true
			continue
		}
		asset := a.asset(band)
		if have, twice := found[band]; !twice || asset.metres < have.metres {
			found[band] = asset
		}
	}
	return found, jpeg2000
}

// band returns the band of the asset, if it is one: by ESA's name, then by the name or key of Earth
// Search, then by a common name. Pictures and composites have none.
func (a assetDocument) band(key string) (vegetation.Band, bool) {
	if a.Href == "" || slices.ContainsFunc(a.Roles, func(role string) bool {
		return role == "thumbnail" || role == "overview" || role == "visual" || role == "metadata"
	}) {
		return "", false
	}
	named := append(slices.Clone(a.EOBands), a.Bands...)
	if len(named) > 1 {
		return "", false
	}
	names := []string{resolutionSuffix.ReplaceAllString(key, "")}
	if len(named) == 1 {
		names = []string{named[0].Name, names[0], named[0].CommonName, named[0].Common11}
		if first := strings.ToLower(names[0]); strings.HasPrefix(first, "b") && len(first) == 3 && bandNames[first] == "" {
			return "", false // ESA's name of an unused band: B8A is "nir08"
		}
	}
	for _, name := range names {
		if b, ok := bandNames[strings.ToLower(name)]; ok {
			return b, true
		}
	}
	return "", false
}

// address turns the address of an object in a public bucket, where the region is known, into one of
// the web: Digital Earth Africa names its files in the manner of S3.
func address(href string) string {
	bucket, key, ok := strings.Cut(strings.TrimPrefix(href, "s3://"), "/")
	if ok && strings.HasPrefix(href, "s3://deafrica-") {
		return "https://" + bucket + ".s3.af-south-1.amazonaws.com/" + key
	}
	return href
}

func (a assetDocument) asset(band vegetation.Band) Asset {
	asset := Asset{Href: address(a.Href), Scale: math.NaN(), Offset: math.NaN(), state: string(a.Size) + " " + string(a.Checksum), metres: math.Inf(1)}
	if a.GSD > 0 {
		asset.metres = a.GSD
	}
	stated := append([]bandDocument{a.bandDocument}, a.Bands...)
	for _, b := range append(stated, a.RasterBand...) {
		if b.Resolution > 0 {
			asset.metres = b.Resolution
		}
		for _, scale := range []*float64{b.Scale, b.Scale11} {
			if scale != nil && *scale > 0 {
				asset.Scale = *scale
			}
		}
		for _, offset := range []*float64{b.Offset, b.Offset11} {
			if offset != nil {
				asset.Offset = *offset
			}
		}
		if v, ok := b.NoData.(float64); ok {
			asset.NoData = v
		}
	}
	if band == vegetation.SCL {
		asset.Scale, asset.Offset = 1, 0 // classes, not reflectance
	}
	return asset
}
