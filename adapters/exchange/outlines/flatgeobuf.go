package outlines

import (
	"context"
	"errors"
	"io"
	"strings"

	"tilth/adapters/exchange/internal/flatgeobuf"
	"tilth/core/effort"
	"tilth/ports"
)

// readFlatGeobuf reads the features of a FlatGeobuf. A file that names no reference system is in longitude and latitude: programs
// that write it for the web leave the system out.
func readFlatGeobuf(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error {
	in, err := flatgeobuf.NewReader(whole(file))
	if err != nil {
		return flatFault(err)
	}
	project := plain
	if in.Code != 0 || in.WKT != "" {
		if in.Org == "" {
			in.Org = "EPSG"
		}
		if project, err = projectionBy(in.Org, int64(in.Code), in.WKT); err != nil {
			return err
		}
	}
	budget := effort.Of(ctx, 0)
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := in.Next(scan.limits.MaxVertices)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return flatFault(err)
		}
		out := ports.Feature{Geometry: f.Word, Attributes: map[string]string{}}
		for name, value := range f.Attributes {
			put(out.Attributes, strings.ToValidUTF8(name, "\ufffd"), strings.ToValidUTF8(value, "\ufffd"))
		}
		switch {
		case errors.Is(f.Err, flatgeobuf.ErrVertices):
			out.Err = refuseOutline("The boundary has more than %d vertices; simplify it.", scan.limits.MaxVertices)
		case f.Err != nil:
			out.Err = refuseOutline("The feature cannot be read: %v.", f.Err)
		case f.Area == nil && f.Word != "" && f.Word != "Point" && f.Word != "MultiPoint" && f.Word != "Polygon" && f.Word != "MultiPolygon":
			out.Err = refuseOutline("The geometry is a %s, which is not an area of straight lines; save it as Polygon.", f.Word)
		case f.Area != nil && scan.outlines:
			out.Boundary, out.Err = bounded(scan, budget, f.Area, project)
		}
		if !yield(out) {
			return nil
		}
	}
}

func flatFault(err error) error {
	switch {
	case errors.Is(err, flatgeobuf.ErrHeader):
		return refuse("The file is not a FlatGeobuf of version 3, or its header is damaged.")
	case errors.Is(err, flatgeobuf.ErrEnd), errors.Is(err, io.EOF):
		return refuse("The FlatGeobuf ends in the middle.")
	}
	return err
}
