package vegetation

import (
	"slices"
	"strings"

	"tilth/core/list"
)

// Harmonised stands for all data sets of the archive together, with their bands adjusted to those of Landsat 8's OLI as
// far as published coefficients go. Each observation states its data set and platform, and what was adjusted.
const Harmonised DatasetCode = "harmonised"

// harmonisedVersion is part of the fingerprint of harmonised dates: it is raised with any change to what is adjusted.
const harmonisedVersion = 1

// precedence is the order in which data sets win between same-day observations of equal coverage: the nearer to OLI at nadir, the earlier.
var precedence = []DatasetCode{HLSL30, HLSS30, LandsatC2L2, SentinelL2A}

// Adjustment is a linear adjustment of a band: slope × reflectance + offset.
type Adjustment struct {
	Band   Band    `json:"band"` // the role; the near infrared of Sentinel-2 is read from B8A
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// NotNormalised is the entry of Sensor.NotAdjusted for reflectances that depend on the angles of view and sun.
const NotNormalised = "brdf"

// Sensor states the data set and platform of a harmonised observation, and what was done to its reflectances.
type Sensor struct {
	Dataset  DatasetCode  `json:"dataset"`
	Platform string       `json:"platform"`
	Adjusted []Adjustment `json:"adjusted"`
	Source   string       `json:"source"` // of the coefficients; empty where nothing is adjusted
	// NotAdjusted are the bands of the index whose response is not that of OLI, and NotNormalised.
	NotAdjusted []string `json:"not_adjusted"`
}

// The published coefficients, both from a sensor to OLI, of surface reflectance between 0 and 1.
const (
	sourceMSI  = "NASA HLS, bandpass adjustment of MSI to OLI (Claverie et al. 2018)"
	sourceETM  = "Roy et al. 2016, ETM+ to OLI, ordinary least squares"
	sourceHLSS = "adjusted by the producer (NASA HLS)"
)

var (
	// Of Sentinel-2A and 2B. B08 stands for B8A, the band that OLI's near infrared is compared with.
	msi2A = []Adjustment{{B02, 0.9778, -0.004}, {B03, 1.0053, -0.0009}, {B04, 0.9765, 0.0009}, {B08, 0.9983, -0.0001}, {B11, 0.9987, -0.0011}, {B12, 1.003, -0.0012}}
	msi2B = []Adjustment{{B02, 0.9778, -0.004}, {B03, 1.0075, -0.0008}, {B04, 0.9761, 0.001}, {B08, 0.9966, 0}, {B11, 1, -0.0003}, {B12, 0.9867, 0.0004}}
	etm   = []Adjustment{{B02, 0.8474, 0.0003}, {B03, 0.8483, 0.0088}, {B04, 0.9047, 0.0061}, {B08, 0.8462, 0.0412}, {B11, 0.8937, 0.0254}, {B12, 0.9071, 0.0172}}
)

// Harmonise returns the sensor of a scene, with the adjustments of the bands of an index.
func Harmonise(s Scene, index Index) Sensor {
	out := Sensor{Dataset: s.dataset().Code, Platform: s.Platform, Adjusted: []Adjustment{}, NotAdjusted: []string{}}
	var table []Adjustment
	like := false // its bands are those of OLI already
	switch platform := s.Platform; {
	case out.Dataset == HLSL30, out.Dataset == LandsatC2L2 && (strings.HasSuffix(platform, "8") || strings.HasSuffix(platform, "9")):
		like = true
	case out.Dataset == LandsatC2L2 && strings.HasSuffix(platform, "7"):
		table, out.Source = etm, sourceETM
	case out.Dataset == HLSS30:
		table, out.Source = msi2A, sourceHLSS // only for which bands, not for the coefficients
	case platform == "sentinel-2a":
		table, out.Source = msi2A, sourceMSI
	case platform == "sentinel-2b":
		table, out.Source = msi2B, sourceMSI
	}
	for _, band := range index.bands {
		i := slices.IndexFunc(table, func(a Adjustment) bool { return a.Band == band })
		wide := band == B08 && s.dataset().Bands["b8a"] == B8A && s.file(B08, Harmonised) == B08
		switch {
		case like:
		case i < 0 || wide:
			out.NotAdjusted = append(out.NotAdjusted, string(band))
		case out.Dataset != HLSS30:
			out.Adjusted = append(out.Adjusted, table[i])
		}
	}
	if len(out.Adjusted) == 0 && out.Dataset != HLSS30 {
		out.Source = ""
	}
	if out.Dataset == SentinelL2A || out.Dataset == LandsatC2L2 {
		out.NotAdjusted = append(out.NotAdjusted, NotNormalised)
	}
	return out
}

// dataset returns the data set of a scene; a scene that names none is of Sentinel-2 L2A.
func (s Scene) dataset() Dataset {
	i := max(0, slices.IndexFunc(datasets, func(d Dataset) bool { return d.Code == s.Dataset }))
	return datasets[i]
}

// file returns the band that a reading of a data set reads for a role: a harmonised reading reads the narrow near
// infrared of Sentinel-2 where the scene has it, as OLI has no wide one.
func (s Scene) file(role Band, as DatasetCode) Band {
	if as == Harmonised && role == B08 && s.Bands[B8A] {
		return B8A
	}
	return role
}

// Files returns the band that a reading reads for each band of an index, in their order.
func (r Reading) Files(s Scene, index Index) []Band {
	return list.Map(index.bands, func(role Band) Band { return s.file(role, r.Dataset) })
}

// Passes returns the passes of the scenes that the reading looks at, as the function Passes does. In a harmonised reading no pass merges the scenes
// of two data sets, data sets without the bands of the index are left out, and the passes of a day come in the order in which they win.
func (r Reading) Passes(scenes []Scene, longitude float64) []Pass {
	if r.Dataset != Harmonised {
		return Passes(r.Dataset.Of(scenes), longitude)
	}
	var out []Pass
	index, _ := ParseIndex(string(r.Index)) // the zero index, of no bands, where it is not known
	for _, code := range precedence {
		d := Scene{Dataset: code}.dataset()
		has := list.Map(index.bands, func(b Band) bool { return slices.Contains(d.roles(), b) })
		if !slices.Contains(has, false) {
			out = append(out, Passes(code.Of(scenes), longitude)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Pass) int { return a.Day.Compare(b.Day) })
	return out
}

// roles returns the bands that scenes of the data set may have.
func (d Dataset) roles() (out []Band) {
	for _, band := range d.Bands {
		out = append(out, band)
	}
	return out
}
