package item

import (
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

// sensedOf finds the sensing time in the name of a product or of an item named after it:
// S2B_MSIL2A_20240825T173909_R098_T13TDE_20240825T215747.
var sensedOf = regexp.MustCompile(`_(\d{8}T\d{6})`)

// Salvage returns the broken scene of an item that Parse refused with cause: its id and time. It is
// false for an item that does not state both.
func Salvage(data []byte, cause error) (vegetation.Scene, bool) {
	it, _, ok := salvage(data, cause)
	return it.Scene(), ok
}

// SalvagePlaced is Salvage for a source that decides itself where a scene lies: it is also false
// for an item with neither geometry nor box.
func SalvagePlaced(data []byte, cause error) (*Item, bool) {
	it, d, ok := salvage(data, cause)
	return it, ok && (it.place(d, "") == nil || it.place(document{BBox: d.BBox}, "") == nil)
}

// Unusable returns the item as a broken one: a scene that rejects its pass with the reason.
func (it *Item) Unusable(reason string) *Item {
	out := &Item{ID: it.ID, Collection: it.Collection, scene: it.scene, footprint: it.footprint, box: it.box, wrapped: it.wrapped}
	out.scene.Broken = reason
	out.revise()
	return out
}

// The reasons for which a scene is broken whose item parses, but has no file that can be read.
const (
	NoBand   = "The item has none of the bands that are known."
	JPEG2000 = "The bands of the item are JPEG 2000, and only GeoTIFF is read."
)

// salvage reads what a broken item states. The item has no assets.
func salvage(data []byte, cause error) (it *Item, d document, ok bool) {
	it = &Item{}
	it.revise()
	var syntax *json.SyntaxError
	// A member of the wrong kind does not prevent reading the others.
	if err := json.Unmarshal(data, &d); errors.As(err, &syntax) || d.ID == "" {
		return it, d, false
	}
	p := properties(d.Properties)
	sensed, ok := p.time("datetime", "start_datetime")
	for _, name := range []string{p.product(), d.ID} {
		if m := sensedOf.FindStringSubmatch(name); m != nil && !ok {
			at, err := time.Parse("20060102T150405", m[1])
			sensed, ok = at, err == nil
		}
	}
	it.ID, it.scene = d.ID, p.scene(d.ID, vegetation.DatasetOf(d.Collection, d.ID), sensed)
	it.scene.Broken = cause.Error()
	if f, is := fault.As(cause); is {
		it.scene.Broken = f.Message
	}
	return it, d, ok
}
