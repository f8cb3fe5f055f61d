package outlines

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path"
	"strings"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/ports"
)

func readShapefile(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error {
	set, err := openShapefile(file)
	if err != nil {
		return err
	}
	if set[".prj"] == nil {
		return refuse("The shapefile has no .prj file, so nothing states what its coordinates are; add it to the zip archive.")
	}
	wkt, err := short(set[".prj"])
	if err != nil {
		return err
	}
	charset, err := short(set[".cpg"])
	if err != nil {
		return err
	}
	project, err := projectionOf(wkt)
	if err != nil {
		return err
	}
	var rows *table
	if set[".dbf"] != nil {
		in, err := archive.Content(set[".dbf"])
		if err != nil {
			return err
		}
		defer in.Close()
		if rows, err = openTable(in, charset); err != nil {
			return err
		}
	}
	in, err := archive.Content(set[".shp"])
	if err != nil {
		return err
	}
	defer in.Close()
	shapes := &shapes{in: bufio.NewReaderSize(in, 64<<10), project: project, scan: scan, budget: effort.Of(ctx, 0)}
	if err := shapes.head(); err != nil {
		return err
	}
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := shapes.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return endOf(".shp", err)
		}
		if rows != nil {
			if f.Attributes, f.Cut, err = rows.next(); err != nil {
				return err
			}
		}
		if !yield(f) {
			return nil
		}
	}
}

// shapes reads the records of a .shp file one by one.
type shapes struct {
	in      *bufio.Reader
	project projection
	*scan
	budget *effort.Budget
}

func (s *shapes) head() error {
	var head [100]byte
	if err := s.fill(head[:]); err != nil {
		return endOf(".shp", err)
	}
	if binary.BigEndian.Uint32(head[:]) != shapefile.Code {
		return refuse("The .shp file is not a shapefile.")
	}
	switch kind := binary.LittleEndian.Uint32(head[32:]); kind {
	case shapefile.Null, shapefile.Polygon, shapefile.PolygonZ, shapefile.PolygonM:
		return nil
	default:
		return refuse("The shapefile holds %s; field outlines are polygons.", shapeWord(kind))
	}
}

func shapeWord(kind uint32) string {
	switch kind {
	case 1, 11, 21, 8, 18, 28:
		return "points"
	case 3, 13, 23:
		return "lines"
	}
	return "shapes of another kind"
}

// next reads a record: a head, its type, and for a polygon a box, the beginnings of its
// rings and its points; heights and measures follow, and are skipped.
func (s *shapes) next() (ports.Feature, error) {
	var head [12]byte
	if n, err := io.ReadFull(s.in, head[:]); err != nil {
		if n > 0 {
			err = io.ErrUnexpectedEOF
		}
		return ports.Feature{}, err
	}
	left := 2*int64(binary.BigEndian.Uint32(head[4:])) - 4 // the type is read already
	if left < 0 {
		return ports.Feature{}, refuse("Record %d of the .shp file has no content.", binary.BigEndian.Uint32(head[:]))
	}
	kind := binary.LittleEndian.Uint32(head[8:])
	f, used, err := s.shape(kind, left)
	if err != nil {
		return f, err
	}
	if _, err = io.CopyN(io.Discard, s.in, left-used); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return f, err
}

func (s *shapes) shape(kind uint32, left int64) (f ports.Feature, used int64, err error) {
	switch kind {
	case shapefile.Null:
		return f, 0, nil
	case shapefile.Polygon, shapefile.PolygonZ, shapefile.PolygonM:
	default:
		f.Err = refuseOutline("The record holds %s; field outlines are polygons.", shapeWord(kind))
		return f, 0, nil
	}
	var head [40]byte
	if left < int64(len(head)) {
		f.Err = refuseOutline("The record is too short for a polygon.")
		return f, 0, nil
	}
	if err := s.fill(head[:]); err != nil {
		return f, 0, err
	}
	used = int64(len(head))
	parts, points := int64(binary.LittleEndian.Uint32(head[32:])), int64(binary.LittleEndian.Uint32(head[36:]))
	f.Geometry = "Polygon"
	switch {
	case points-parts > int64(s.limits.MaxVertices) || parts > int64(s.limits.MaxVertices):
		f.Err = refuseOutline("The boundary has more than %d vertices; simplify it.", s.limits.MaxVertices)
		return f, used, nil
	case 4*parts+16*points > left-used:
		f.Err = refuseOutline("The record is too short for its %d points.", points)
		return f, used, nil
	case !s.outlines:
		return f, used, nil
	}
	raw := make([]byte, 4*parts+16*points)
	if err := s.fill(raw); err != nil {
		return f, used, err
	}
	f.Boundary, f.Err = s.boundary(raw, int(parts), int(points))
	return f, used + int64(len(raw)), nil
}

// fill reads bytes that must exist.
func (s *shapes) fill(p []byte) error {
	_, err := io.ReadFull(s.in, p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (s *shapes) boundary(raw []byte, parts, points int) (*geo.Boundary, error) {
	begins := make([]int, parts+1)
	for i := range parts {
		begins[i] = int(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	begins[parts] = points
	rings := make([]geo.Ring, parts)
	for i := range parts {
		if begins[i] < 0 || begins[i] > begins[i+1] || begins[i+1] > points {
			return nil, refuseOutline("The record's rings do not follow one another.")
		}
		for at := begins[i]; at < begins[i+1]; at++ {
			pair := raw[4*parts+16*at:]
			p := geo.Position{
				X: math.Float64frombits(binary.LittleEndian.Uint64(pair)),
				Y: math.Float64frombits(binary.LittleEndian.Uint64(pair[8:])),
			}
			if math.IsNaN(p.X) || math.IsNaN(p.Y) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0) {
				return nil, refuseOutline("The outline holds a coordinate that is not a finite number.")
			}
			rings[i] = append(rings[i], s.project(p))
		}
	}
	boundary, err := geo.NewBoundary(s.budget, geo.Assemble(rings), s.limits)
	if err != nil {
		return nil, err
	}
	return &boundary, nil
}

// openShapefile finds the files of the one shapefile of an archive, by their extensions.
func openShapefile(file ports.Object) (map[string]*zip.File, error) {
	found, err := archive.Open(file)
	if err != nil {
		return nil, err
	}
	byStem := map[string]map[string]*zip.File{}
	var names []string
	for _, entry := range found.File {
		base := path.Base(entry.Name)
		if strings.HasPrefix(base, ".") || strings.HasPrefix(entry.Name, "__MACOSX/") {
			continue
		}
		kind := strings.ToLower(path.Ext(base))
		stem := strings.ToLower(strings.TrimSuffix(entry.Name, path.Ext(entry.Name)))
		if byStem[stem] == nil {
			byStem[stem] = map[string]*zip.File{}
		}
		if byStem[stem][kind] = entry; kind == ".shp" {
			names = append(names, stem)
		}
	}
	switch len(names) {
	case 0:
		return nil, refuse("The zip archive holds no shapefile: no name in it ends in .shp.")
	case 1:
		return byStem[names[0]], nil
	}
	return nil, refuse("The zip archive holds %d shapefiles; send one at a time.", len(names))
}

// short reads a small entry whole; a missing one is empty.
func short(entry *zip.File) (string, error) {
	if entry == nil {
		return "", nil
	}
	in, err := archive.Content(entry)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxWKTBytes+1))
	if err == nil && len(text) > maxWKTBytes {
		err = refuse("%.80q in the zip archive is longer than %d KiB.", entry.Name, maxWKTBytes>>10)
	}
	return string(text), err
}
