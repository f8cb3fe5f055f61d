package item

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tilth/core/vegetation"
)

// properties reads facts from where each dialect keeps them.
type properties map[string]json.RawMessage

// text returns the first of the properties that is a non-empty string or a number.
func (p properties) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(p[name], &s) == nil && s != "" {
			return s
		}
		var n json.Number
		if json.Unmarshal(p[name], &n) == nil && n != "" {
			return n.String()
		}
	}
	return ""
}

func (p properties) flag(name string) bool {
	var b bool
	return json.Unmarshal(p[name], &b) == nil && b
}

// time returns the first of the properties that is a time, in UTC.
func (p properties) time(names ...string) (time.Time, bool) {
	for _, name := range names {
		if t, err := time.Parse(time.RFC3339Nano, p.text(name)); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// product is the name of ESA's product, which repeats most facts:
// S2A_MSIL2A_20230815T095031_N0509_R079_T33TWM_20230815T155057.SAFE.
func (p properties) product() string { return p.text("s2:product_uri", "sentinel:product_id") }

var (
	platformOf = regexp.MustCompile(`(?i)^S(?:ENTINEL)?-?2([A-D])_`)
	baselineOf = regexp.MustCompile(`_N(\d{2})(\d{2})_`)
	orbitOf    = regexp.MustCompile(`_R(\d{3})_`)
	tileOf     = regexp.MustCompile(`[_.]T?(\d{2}[C-HJ-NP-X][A-HJ-NP-Z]{2})[_.]`)
	pathRowOf  = regexp.MustCompile(`_L2S[PR]_(\d{3})(\d{3})_`)
	tileCode   = regexp.MustCompile(`^(\d{1,2})([C-HJ-NP-X][A-HJ-NP-Z]{2})$`)
)

func (p properties) scene(id string, dataset vegetation.Dataset, sensed time.Time) vegetation.Scene {
	s := vegetation.Scene{
		ID: id, Dataset: dataset.Code, Platform: p.platform(id, dataset), Tile: p.tile(id), RelativeOrbit: p.orbit(id), SensedAt: sensed, Synthetic: p.flag("synthetic"),
	}
	if path, row := p.pathRow(id); path > 0 { // of Landsat; an overflight follows a path
		s.Tile, s.RelativeOrbit = fmt.Sprintf("%03d%03d", path, row), path
	}
	return s
}

func (p properties) platform(id string, dataset vegetation.Dataset) string {
	if s := p.text("platform"); s != "" {
		return strings.ToLower(s)
	}
	return dataset.Platform + strings.ToLower(p.named(platformOf, id))
}

// pathRow returns the place of a scene in the grid WRS-2; 0 where it has none.
func (p properties) pathRow(id string) (path, row int) {
	path, _ = strconv.Atoi(p.text("landsat:wrs_path"))
	row, _ = strconv.Atoi(p.text("landsat:wrs_row"))
	if m := pathRowOf.FindStringSubmatch(id); m != nil && path == 0 {
		path, _ = strconv.Atoi(m[1]) // digits by the pattern
		row, _ = strconv.Atoi(m[2])
	}
	return path, row
}

func (p properties) baseline() string {
	if s := p.text("s2:processing_baseline", "sentinel:processing_baseline", "processing:version"); s != "" {
		return s
	}
	if m := baselineOf.FindStringSubmatch(p.product()); m != nil {
		return m[1] + "." + m[2]
	}
	return ""
}

func (p properties) orbit(id string) int {
	if n, err := strconv.Atoi(p.text("sat:relative_orbit")); err == nil && n > 0 {
		return n
	}
	n, _ := strconv.Atoi(p.named(orbitOf, id)) // three digits by the pattern, or none
	return n
}

// tile returns the MGRS tile with two digits for the zone: "33TWM", "06VVN".
func (p properties) tile(id string) string {
	for _, code := range []string{
		strings.TrimPrefix(p.text("grid:code"), "MGRS-"),
		p.text("s2:mgrs_tile"),
		p.text("mgrs:utm_zone") + p.text("mgrs:latitude_band") + p.text("mgrs:grid_square"),
		p.text("sentinel:utm_zone") + p.text("sentinel:latitude_band") + p.text("sentinel:grid_square"),
	} {
		if m := tileCode.FindStringSubmatch(code); m != nil {
			zone, _ := strconv.Atoi(m[1]) // digits by the pattern
			return fmt.Sprintf("%02d%s", zone, m[2])
		}
	}
	return p.named(tileOf, id)
}

// named returns what a pattern finds in the name of the product or in the item's id.
func (p properties) named(pattern *regexp.Regexp, id string) string {
	for _, name := range []string{p.product(), id} {
		if m := pattern.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}
