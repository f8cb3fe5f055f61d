// Package item parses the items of STAC catalogs in the known dialects: Earth Search
// (both generations), Planetary Computer, Copernicus Data Space, and the folders of this project. It
// turns an item into a scene, finds the file of each band, decides how digital numbers become
// reflectance, and reads pixels. It does not know whether items come from a folder or an API.
package item

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peterstace/simplefeatures/geom"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// Item is one acquisition of one tile. Safe for concurrent use once parsed.
type Item struct {
	ID         string
	Collection string // where the item names it
	Assets     map[vegetation.Band]Asset
	dataset    vegetation.Dataset
	scene      vegetation.Scene
	footprint  geom.Geometry
	box        geo.Box // its west is greater than its east where it crosses the antimeridian
	wrapped    bool    // the footprint crosses it in one piece, so that only its box counts
	applied    *bool   // whether the offset was applied to the files already, where stated
	jpeg2000   bool    // it has bands as JPEG 2000

	// Computed once, from the assets at the first call of Scene.
	revision, auxiliary func() string

	mu      sync.Mutex
	decided map[vegetation.OffsetClaim]decision
}

// Asset is the file of one band. A NaN Scale or Offset means that the item does not state one.
type Asset struct {
	Href   string
	Scale  float64 // reflectance = DN × Scale + Offset
	Offset float64
	NoData float64 // counts where the file marks none itself
	Band   int     // of the file, counted from 1
	state  string  // size and checksum of the file, as far as the catalog states them
	metres float64
}

type document struct {
	ID         string                     `json:"id"`
	Collection string                     `json:"collection"`
	Geometry   json.RawMessage            `json:"geometry"`
	BBox       []float64                  `json:"bbox"`
	Properties map[string]json.RawMessage `json:"properties"`
	Assets     map[string]assetDocument   `json:"assets"`
}

// Parse reads an item. name is its location in messages. An item without any known band parses, and
// has no assets.
//
// Faults: Invalid for data that is not a STAC item, or lacks id, time or place.
func Parse(data []byte, name string) (*Item, error) {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, broken(name, "it is not JSON of a STAC item").Because(err)
	}
	if d.ID == "" {
		return nil, broken(name, "it has no id")
	}
	p := properties(d.Properties)
	it := &Item{ID: d.ID, Collection: d.Collection, dataset: vegetation.DatasetOf(d.Collection, d.ID)}
	it.revise()
	if err := it.place(d, name); err != nil {
		return nil, err
	}
	sensed, ok := p.time("datetime", "start_datetime")
	if !ok {
		return nil, broken(name, "it has no datetime")
	}
	it.scene = p.scene(d.ID, it.dataset, sensed)
	it.scene.Datastrip, it.scene.Baseline = p.text("s2:datastrip_id"), p.baseline()
	it.scene.Updated, _ = p.time("updated", "created", "s2:generation_time")
	// The names that Earth Search used in its first and in its second generation.
	for _, name := range []string{"sentinel:boa_offset_applied", "earthsearch:boa_offset_applied"} {
		if raw, stated := d.Properties[name]; stated && string(raw) != "null" {
			applied := p.flag(name)
			it.applied = &applied
		}
	}
	it.Assets, it.jpeg2000 = bands(d.Assets, it.dataset)
	return it, nil
}

func broken(name, format string, args ...any) *fault.Error {
	return fault.Newf(fault.Invalid, "imagery_item", "%s cannot be used: %s.", name, fmt.Sprintf(format, args...))
}

// place sets the footprint from the geometry, or from the box where there is none.
func (it *Item) place(d document, name string) error {
	if len(d.Geometry) > 0 && string(d.Geometry) != "null" {
		g, err := geom.UnmarshalGeoJSON(d.Geometry, geom.NoValidate{})
		if err != nil {
			return broken(name, "its geometry is not GeoJSON").Because(err)
		}
		it.footprint = g.Force2D()
		low, high, ok := it.footprint.Envelope().MinMaxXYs()
		if ok {
			it.box = geo.Box{MinX: low.X, MinY: low.Y, MaxX: high.X, MaxY: high.Y}
			it.box, it.wrapped = unwrap(it.footprint, it.box)
			return nil
		}
	}
	b := d.BBox
	switch len(b) {
	case 4:
	case 6: // with heights
		b = []float64{b[0], b[1], b[3], b[4]}
	default:
		return broken(name, "it has neither geometry nor bbox")
	}
	it.box = geo.Box{MinX: b[0], MinY: b[1], MaxX: b[2], MaxY: b[3]}
	return nil
}

// Scene returns the scene of the item; its Source is the item.
func (it *Item) Scene() vegetation.Scene {
	s := it.scene
	s.Bands = make(map[vegetation.Band]bool, len(it.Assets))
	for band := range it.Assets {
		s.Bands[band] = true
	}
	s.Revision, s.Auxiliary = it.revision(), it.auxiliary()
	s.Source = it
	return s
}

// SensedAt is the time of the acquisition, UTC.
func (it *Item) SensedAt() time.Time { return it.scene.SensedAt }

// JPEG2000 reports that the item has bands, but only in an unsupported format.
func (it *Item) JPEG2000() bool { return it.jpeg2000 && !it.ShowsGround() }

// ShowsGround reports whether it has files of bands that are not auxiliary.
func (it *Item) ShowsGround() bool {
	for band := range it.Assets {
		if !band.Auxiliary() {
			return true
		}
	}
	return false
}

// Area is a boundary prepared for comparison with many footprints.
type Area struct{ sides []side }

// side is the part of a boundary on one side of the antimeridian.
type side struct {
	box  geo.Box
	geom geom.Geometry
}

// NewArea returns the Area of a boundary in WGS84. Invalid when the boundary is empty.
func NewArea(boundary geo.MultiPolygon) (Area, error) {
	var a Area
	for _, part := range sidesOf(boundary) {
		raw, err := json.Marshal(part)
		var g geom.Geometry
		if err == nil {
			g, err = geom.UnmarshalGeoJSON(raw, geom.NoValidate{})
		}
		if err != nil || g.IsEmpty() {
			return Area{}, emptyArea().Because(err)
		}
		a.sides = append(a.sides, side{box: part.Bounds(), geom: g})
	}
	if len(a.sides) == 0 {
		return a, emptyArea()
	}
	return a, nil
}

func emptyArea() *fault.Error {
	return fault.New(fault.Invalid, "imagery_boundary", "Imagery can only be searched for a boundary that is not empty.")
}

// Meets reports whether the footprint shares a point with the area. A footprint that only has a
// box, crosses itself, or crosses the antimeridian in one piece, counts by its box: a superfluous
// scene turns out to be nodata, but a missing one is lost.
func (it *Item) Meets(a Area) bool { return slices.ContainsFunc(a.sides, it.meets) }

func (it *Item) meets(a side) bool {
	meets, around := meet(it.box, a.box)
	if !meets {
		return false
	}
	if around || it.wrapped || it.footprint.IsEmpty() || it.footprint.Validate() != nil {
		return true
	}
	return geom.Intersects(it.footprint, a.geom)
}

// Compare orders items by sensing time, then by id.
func Compare(a, b *Item) int {
	if c := a.scene.SensedAt.Compare(b.scene.SensedAt); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}
