package geopackage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tilth/core/geo"
)

// Errors of geometries that cannot be read as an area.
var (
	ErrVertices = errors.New("it has too many vertices")
	errCut      = errors.New("it is cut off")
)

// words are the types of geometries, by their numbers without those of dimensions.
var words = map[uint32]string{
	1: "Point", 2: "LineString", 3: "Polygon", 4: "MultiPoint", 5: "MultiLineString", 6: "MultiPolygon", 7: "GeometryCollection",
	8: "CircularString", 9: "CompoundCurve", 10: "CurvePolygon", 11: "MultiCurve", 12: "MultiSurface",
}

// Shape is a geometry as it is stored: in the coordinates of its reference system.
type Shape struct {
	System int32
	Word   string           // the type; empty: there is nothing
	Area   geo.MultiPolygon // nil where it is not an area
}

// ReadArea reads a geometry. Of a geometry that is not an area it returns only the word. Errors: ErrVertices, and others that state what is wrong.
func ReadArea(b []byte, maxVertices int) (out Shape, err error) {
	if len(b) == 0 {
		return out, nil
	}
	system, rest, err := header(b)
	if err != nil || rest == nil {
		return Shape{System: system}, err
	}
	out.System = system
	w := &wkb{rest: rest, left: maxVertices + maxVertices/2} // rings repeat their first position
	kind, _ := w.kind()
	out.Word = words[kind]
	switch {
	case w.err != nil:
	case kind == wkbPolygon:
		out.Area = geo.MultiPolygon{w.polygon()}
	case kind == wkbMultiPolygon:
		for range w.count(9) {
			if of, _ := w.kind(); w.err == nil && of != wkbPolygon {
				w.err = fmt.Errorf("it holds a %s among its polygons", words[of])
			}
			if w.err != nil {
				break
			}
			out.Area = append(out.Area, w.polygon())
		}
	case out.Word == "":
		w.err = fmt.Errorf("its type %d is not known", kind)
	}
	if w.err != nil {
		return Shape{System: system, Word: out.Word}, w.err
	}
	return out, nil
}

// wkb reads well-known binary. It keeps its first error: what is read after it is zero.
type wkb struct {
	rest  []byte
	order binary.ByteOrder
	width int // bytes of a position
	left  int // positions that may still come
	err   error
}

func (w *wkb) take(n int) []byte {
	if w.err == nil && len(w.rest) < n {
		w.err = errCut
	}
	if w.err != nil {
		return make([]byte, n)
	}
	out := w.rest[:n]
	w.rest = w.rest[n:]
	return out
}

// kind reads how a geometry begins: its type, and how many bytes its positions have.
func (w *wkb) kind() (of uint32, width int) {
	head := w.take(1)
	if w.order = byteOrder(head[0]); head[0] > 1 && w.err == nil {
		w.err = errors.New("it is not well-known binary")
	}
	code := w.order.Uint32(w.take(4))
	const flagZ, flagM, flagSystem = 1 << 31, 1 << 30, 1 << 29 // as PostGIS has them
	extra := int(code&flagZ>>31 + code&flagM>>30)
	if code&flagSystem != 0 {
		w.take(4)
	}
	code &^= flagZ | flagM | flagSystem
	if of = code % wkbDimensions; code/wkbDimensions == 3 {
		extra = 2
	} else if code/wkbDimensions > 0 {
		extra = 1
	}
	w.width = 8 * (2 + extra)
	return of, w.width
}

// count reads how many of something follow, each of which takes at least size bytes.
func (w *wkb) count(size int) int {
	n := int64(w.order.Uint32(w.take(4)))
	if w.err == nil && n*int64(size) > int64(len(w.rest)) {
		w.err = errCut
	}
	if w.err != nil {
		return 0
	}
	return int(n)
}

func (w *wkb) polygon() (out geo.Polygon) {
	for range w.count(4) {
		n := w.count(w.width)
		if w.left -= n; w.left < 0 && w.err == nil {
			w.err = ErrVertices
		}
		if w.err != nil {
			return nil
		}
		ring := make(geo.Ring, n)
		for i := range ring {
			at := w.take(w.width)
			ring[i] = geo.Position{X: math.Float64frombits(w.order.Uint64(at)), Y: math.Float64frombits(w.order.Uint64(at[8:]))}
		}
		out = append(out, ring)
	}
	return out
}
