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
	DataType   string   `json:"data_type"`
	Resolution float64  `json:"spatial_resolution"`
	Scale11    *float64 `json:"raster:scale"`
	Offset11   *float64 `json:"raster:offset"`
}

// keySuffix matches what keys add after the band: "B04_10m" of Copernicus Data Space, "SR_B4.TIF" of Landsat.
var keySuffix = regexp.MustCompile(`_\d+m$|\.(tif|TIF)$`)

// bands finds the file of each band: of two files the finer, then the one whose key comes first; a
// file of several bands serves only bands that have no file of their own. It reports whether bands
// are JPEG 2000.
func bands(assets map[string]assetDocument, dataset vegetation.Dataset) (map[vegetation.Band]Asset, bool) {
	found, shared := map[vegetation.Band]Asset{}, map[vegetation.Band]Asset{}
	jpeg2000 := false
	for _, key := range slices.Sorted(maps.Keys(assets)) {
		a := assets[key]
		into, held := found, map[vegetation.Band]int{}
		if band, ok := a.band(key, dataset); ok {
			held[band] = 1
		} else {
			into, held = shared, a.stack(dataset)
		}
		if len(held) > 0 && (strings.Contains(a.Type, "jp2") || strings.HasSuffix(strings.ToLower(a.Href), ".jp2")) {
			jpeg2000 = true
			continue
		}
		for band, n := range held {
			asset := a.asset(band, n, dataset)
			if band == vegetation.CLP && strings.EqualFold(key, "clp") { // of Sentinel Hub: 255 is certain
				asset.Scale = 100.0 / 255
			}
			if have, twice := into[band]; !twice || asset.metres < have.metres {
				into[band] = asset
			}
		}
	}
	for band, asset := range shared {
		if _, own := found[band]; !own {
			found[band] = asset
		}
	}
	return found, jpeg2000
}

// picture reports whether the asset is made to be looked at.
func (a assetDocument) picture() bool {
	return slices.ContainsFunc(a.Roles, func(role string) bool {
		return role == "thumbnail" || role == "overview" || role == "visual" || role == "metadata"
	})
}

// band returns the band of the asset, if it is one: by the product's name, then by the name or key of
// Earth Search, then by a common name. Pictures and composites have none.
func (a assetDocument) band(key string, dataset vegetation.Dataset) (vegetation.Band, bool) {
	named := append(slices.Clone(a.EOBands), a.Bands...)
	if a.Href == "" || a.picture() || len(named) > 1 {
		return "", false
	}
	names := []string{keySuffix.ReplaceAllString(key, "")}
	if len(named) == 1 {
		names = []string{named[0].Name, names[0], named[0].CommonName, named[0].Common11}
		if first := strings.ToLower(names[0]); strings.HasPrefix(first, "b") && len(first) == 3 && dataset.Bands[first] == "" {
			return "", false // the product's name of an unused band: B8A of Sentinel-2 is "nir08"
		}
	}
	for _, name := range names {
		if b, ok := dataset.Bands[strings.ToLower(name)]; ok {
			return b, true
		}
	}
	return "", false
}

// stack returns the bands of a file of several bands, by their number from 1 on. It returns none
// for a picture, which has no near infrared, or bytes instead of reflectances.
func (a assetDocument) stack(dataset vegetation.Dataset) map[vegetation.Band]int {
	named := a.EOBands
	if len(named) == 0 {
		named = a.Bands
	}
	if a.Href == "" || a.picture() || len(named) < 2 {
		return nil
	}
	out := map[vegetation.Band]int{}
	for i, b := range named {
		for _, name := range []string{b.Name, b.CommonName, b.Common11} {
			if band, ok := dataset.Bands[strings.ToLower(name)]; ok {
				out[band] = i + 1
				break
			}
		}
	}
	bytes := a.DataType == "uint8" || slices.ContainsFunc(append(slices.Clone(a.Bands), a.RasterBand...), func(b bandDocument) bool { return b.DataType == "uint8" })
	if _, infrared := out[vegetation.B08]; !infrared || bytes {
		return nil
	}
	return out
}

// address turns the address of an object in a public bucket, where the region is known, into a web
// address: Digital Earth Africa names its files by S3 addresses.
func address(href string) string {
	bucket, key, ok := strings.Cut(strings.TrimPrefix(href, "s3://"), "/")
	if ok && strings.HasPrefix(href, "s3://deafrica-") {
		return "https://" + bucket + ".s3.af-south-1.amazonaws.com/" + key
	}
	return href
}

// asset returns what the document states of one band of its file.
func (a assetDocument) asset(band vegetation.Band, n int, dataset vegetation.Dataset) Asset {
	asset := Asset{
		Href: address(a.Href), Band: n, Scale: math.NaN(), Offset: math.NaN(), NoData: dataset.NoData,
		state: string(a.Size) + " " + string(a.Checksum), metres: math.Inf(1),
	}
	if band == vegetation.SCL {
		asset.NoData = dataset.MaskNoData
	}
	if a.GSD > 0 {
		asset.metres = a.GSD
	}
	stated := []bandDocument{a.bandDocument}
	for _, bands := range [][]bandDocument{a.Bands, a.RasterBand} {
		if n <= len(bands) {
			stated = append(stated, bands[n-1])
		}
	}
	for _, b := range stated {
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
	if band == vegetation.SCL || band == vegetation.CLP {
		asset.Scale, asset.Offset = 1, 0 // classes and percent, not reflectance
	}
	return asset
}
