package outlines

import (
	"context"
	"encoding/xml"
	"mime"
	"strconv"
	"strings"

	"tilth/adapters/exchange/internal/elements"
	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/geo"
	"tilth/ports"
)

// maxPlaces bounds the places that are held of a file.
const maxPlaces = 200_000

// Places implements ports.PlaceFiles: the flags in the fields of task data.
func (o *Reader) Places(ctx context.Context, media string, file ports.Object) (out []ports.TaskPoint, err error) {
	kind, _, err := mime.ParseMediaType(media)
	switch {
	case media != "" && err != nil:
		return nil, taken(media, MediaZip, MediaXML)
	case kind == "", kind == "application/octet-stream", kind == MediaZip, kind == "application/x-zip-compressed", kind == MediaXML, kind == "text/xml":
	default:
		return nil, taken(media, MediaZip, MediaXML)
	}
	t := newTaskReader(ctx, &scan{limits: o.limits})
	if err := t.open(file); err != nil {
		return nil, err
	}
	for i := 0; i < len(t.files); i++ { // a file adds those that it refers to
		err := t.walk(ctx, t.files[i], func(e *elements.Reader, start xml.StartElement) error {
			if start.Name.Local != taskdata.Point || elements.Attribute(start, "A") != taskdata.Flag {
				return t.gather(e, start)
			}
			north, errNorth := strconv.ParseFloat(elements.Attribute(start, "C"), 64)
			east, errEast := strconv.ParseFloat(elements.Attribute(start, "D"), 64)
			name := strings.TrimSpace(elements.Attribute(start, "B"))
			if errNorth != nil || errEast != nil {
				return refuse("The point %.40q has no degrees in C and D; points in files of their own are not read.", name)
			}
			if len(out) == maxPlaces {
				return refuse("The task data has more than %d points.", maxPlaces)
			}
			out = append(out, ports.TaskPoint{Name: name, At: geo.Position{X: east, Y: north}})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
