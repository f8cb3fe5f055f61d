package exchange

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"iter"
	"mime"
	"strings"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// Content types of the files of outlines.
const (
	MediaGeoJSON = "application/geo+json"
	MediaJSON    = "application/json"
	MediaKML     = "application/vnd.google-earth.kml+xml"
	MediaZip     = "application/zip"
)

// Outlines reads files of field outlines, one feature at a time: the memory that it takes
// does not grow with the file.
type Outlines struct{ limits geo.Limits }

// NewOutlines makes a reader whose boundaries keep the given limits.
func NewOutlines(limits geo.Limits) *Outlines { return &Outlines{limits} }

// reader reads the features of one format. Where the outlines are not wanted, only the
// structure of the file is read.
type reader func(ctx context.Context, file ports.Object, limits geo.Limits, outlines bool, yield func(ports.Feature) bool) error

// Count implements ports.Outlines.
func (o *Outlines) Count(ctx context.Context, media string, file ports.Object) (int64, error) {
	read, err := readerOf(media, file)
	if err != nil {
		return 0, err
	}
	var n int64
	err = read(ctx, file, o.limits, false, func(ports.Feature) bool { n++; return true })
	return n, err
}

// Read implements ports.Outlines.
func (o *Outlines) Read(ctx context.Context, media string, file ports.Object) iter.Seq2[ports.Feature, error] {
	return func(yield func(ports.Feature, error) bool) {
		read, err := readerOf(media, file)
		enough := false
		if err == nil {
			err = read(ctx, file, o.limits, true, func(f ports.Feature) bool {
				enough = !yield(f, nil)
				return !enough && ctx.Err() == nil
			})
		}
		if err = cmp.Or(err, ctx.Err()); err != nil && !enough {
			yield(ports.Feature{}, err)
		}
	}
}

// readerOf chooses by the content type, and by the file itself where that says nothing.
func readerOf(media string, file ports.Object) (reader, error) {
	plain, _, err := mime.ParseMediaType(media)
	if media != "" && err != nil {
		return nil, unsupported(media)
	}
	switch plain {
	case MediaGeoJSON, MediaJSON, "application/vnd.geo+json":
		return readGeoJSON, nil
	case MediaKML:
		return readKML, nil
	case MediaZip, "application/x-zip-compressed":
		return readShapefile, nil
	case "", "application/octet-stream":
		return readerByContent(file)
	}
	return nil, unsupported(media)
}

func unsupported(media string) error {
	return fault.Newf(fault.Limit, "unsupported_media_type", "Content-Type %.80q is not taken here; send %s, %s or %s.",
		media, MediaGeoJSON, MediaKML, MediaZip)
}

// readerByContent tells the formats apart by how they begin.
func readerByContent(file ports.Object) (reader, error) {
	head := make([]byte, 512)
	n, err := file.ReadAt(head, 0)
	if err != nil && n == 0 && file.Size() > 0 {
		return nil, err
	}
	head = head[:n]
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("PK")):
		return readShapefile, nil
	case bytes.HasPrefix(text, []byte("<")):
		return readKML, nil
	case bytes.HasPrefix(text, []byte("{")):
		return readGeoJSON, nil
	case n == 0:
		return nil, refuse("The file is empty.")
	}
	return nil, refuse("The file is neither GeoJSON nor KML nor a zip archive with a shapefile.")
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// FileField is the name that refusals of a whole file are filed under.
const FileField = "file"

// refuse makes the fault of a file that cannot be read as a whole.
func refuse(format string, args ...any) error {
	f := fault.Fields{}
	f.Addf(FileField, format, args...)
	return f.Err()
}

// refuseOutline makes the fault of one feature.
func refuseOutline(format string, args ...any) error {
	f := fault.Fields{}
	f.Addf(geo.BoundaryField, format, args...)
	return f.Err()
}

// whole returns a file from its beginning.
func whole(file ports.Object) io.Reader { return io.NewSectionReader(file, 0, file.Size()) }

// put sets an attribute, unless there are too many or it is too long to be of use.
func put(attributes map[string]string, name, value string) {
	if len(attributes) < maxAttributes && len(name) <= maxAttributeBytes && len(value) <= maxAttributeBytes {
		attributes[name] = strings.TrimSpace(value)
	}
}

// Bounds of the attributes that are looked at. Names and external ids are far shorter.
const (
	maxAttributes     = 2_000
	maxAttributeBytes = 16 << 10
)
