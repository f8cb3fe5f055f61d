package exchange

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

const wgs84WKT = `GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],` +
	`PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]`

// maxShapefileBytes is what the lengths in a shapefile's head can state.
const maxShapefileBytes = math.MaxInt32

// textWidth is the maximum number of bytes of a text in a dBASE table.
const textWidth = 254

// shapefileWriter writes the three files of a shapefile side by side, into temporary
// files, because their heads hold what is only known at the end, and an archive takes one file
// after another.
type shapefileWriter struct {
	to            *bufio.Writer
	columns       []ports.Column
	stem          string
	kind          uint32 // shapefile.Polygon or shapefile.Point
	shp, shx, dbf *spool
	records       uint32
	box           geo.Box
}

type spool struct {
	file *os.File
	*bufio.Writer
	size int64
}

func spoolAway(err error) error {
	return fault.New(fault.Unavailable, "objects_unavailable", "There is no room to prepare the file; try again later.").Because(err)
}

func (s *spool) append(p []byte) error {
	s.size += int64(len(p))
	if _, err := s.Write(p); err != nil {
		return spoolAway(err)
	}
	return nil
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "tilth-export-*")
	if err != nil {
		return nil, spoolAway(err)
	}
	return &spool{file: file, Writer: bufio.NewWriterSize(file, 64<<10)}, nil
}

func (s *spool) rewind() error {
	if err := s.Flush(); err != nil {
		return spoolAway(err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return spoolAway(err)
	}
	return nil
}

// discard removes the spool, if there is one.
func (s *spool) discard() {
	if s != nil {
		_, _ = s.file.Close(), os.Remove(s.file.Name()) // what remains goes with the temporary files
	}
}

// copyTo copies the spool from its beginning.
func (s *spool) copyTo(to io.Writer) error {
	if err := s.rewind(); err != nil {
		return err
	}
	_, err := io.Copy(to, s.file)
	return err
}

// into copies the spool to an entry of an archive, after a head.
func (s *spool) into(archive *zip.Writer, name string, head []byte) error {
	if err := s.rewind(); err != nil {
		return err
	}
	return entry(archive, name, io.MultiReader(bytes.NewReader(head), s.file))
}

func newShapefileWriter(to *bufio.Writer, f shapesFile) (*shapefileWriter, error) {
	w := &shapefileWriter{to: to, columns: f.columns, stem: f.stem, kind: f.kind}
	for _, s := range []**spool{&w.shp, &w.shx, &w.dbf} {
		var err error
		if *s, err = newSpool(); err != nil {
			w.discard()
			return nil, err
		}
	}
	return w, nil
}

func (w *shapefileWriter) discard() {
	w.shp.discard()
	w.shx.discard()
	w.dbf.discard()
}

func (w *shapefileWriter) add(o shape) error {
	content := shapeOf(o)
	w.records++
	at, words := 100+w.shp.size, binary.BigEndian.AppendUint32(nil, uint32(len(content)/2))
	if at+int64(len(content))+8 > maxShapefileBytes {
		return fault.New(fault.Invalid, "export_too_large", "The features are too many for one shapefile; narrow the list, or choose geojson.")
	}
	if err := w.shx.append(append(binary.BigEndian.AppendUint32(nil, uint32(at/2)), words...)); err != nil {
		return err
	}
	if err := w.shp.append(slices.Concat(binary.BigEndian.AppendUint32(nil, w.records), words, content)); err != nil {
		return err
	}
	if b, there := o.box(); there {
		if w.box == (geo.Box{}) {
			w.box = b
		}
		w.box = w.box.Union(b)
	}
	return w.dbf.append(w.row(o.values))
}

// shapeOf returns the content of a record: a point, or outer rings clockwise and holes
// counter-clockwise, which is the reverse of GeoJSON.
func shapeOf(o shape) []byte {
	if o.point != nil {
		return appendFloats(binary.LittleEndian.AppendUint32(nil, shapefile.Point), o.point.X, o.point.Y)
	}
	if o.area == nil {
		return binary.LittleEndian.AppendUint32(nil, shapefile.Null)
	}
	var begins, points []byte
	parts, n := 0, 0
	for _, polygon := range o.area {
		for _, ring := range polygon {
			begins = binary.LittleEndian.AppendUint32(begins, uint32(n))
			for _, p := range slices.Backward(ring) {
				points = appendFloats(points, p.X, p.Y)
			}
			parts, n = parts+1, n+len(ring)
		}
	}
	b := o.area.Bounds()
	out := binary.LittleEndian.AppendUint32(nil, shapefile.Polygon)
	out = appendFloats(out, b.MinX, b.MinY, b.MaxX, b.MaxY)
	out = binary.LittleEndian.AppendUint32(out, uint32(parts))
	out = binary.LittleEndian.AppendUint32(out, uint32(n))
	return append(append(out, begins...), points...)
}

func appendFloats(out []byte, values ...float64) []byte {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// layout returns a column's type, width and decimals in a dBASE table.
func layout(c ports.Column) (letter byte, width, decimals int) {
	switch c.Kind {
	case ports.WholeColumn:
		return 'N', 19, 0
	case ports.NumberColumn:
		return 'N', 24, cmp.Or(c.Decimals, 15)
	case ports.FlagColumn:
		return 'L', 1, 0
	default:
		return 'C', textWidth, 0
	}
}

func (w *shapefileWriter) row(values []any) []byte {
	row := []byte{' '}
	for i, c := range w.columns {
		_, width, decimals := layout(c)
		text := ""
		switch v := values[i].(type) {
		case nil:
		case float64:
			if text = number(v); c.Decimals > 0 || len(text) > width {
				text = strconv.FormatFloat(v, 'f', decimals, 64)
			}
			text = fmt.Sprintf("%*s", width, text)
		case int64:
			text = fmt.Sprintf("%*d", width, v)
		case bool:
			text = map[bool]string{true: "T", false: "F"}[v]
		default:
			text = plain(v)
		}
		if len(text) > width {
			text = strings.ToValidUTF8(text[:width], "") // never cut within a letter
		}
		row = append(append(row, text...), strings.Repeat(" ", width-len(text))...)
	}
	return row
}

// tableHead returns the head of the dBASE table (level 3).
func (w *shapefileWriter) tableHead() []byte {
	rowBytes := 1
	var fields []byte
	for _, c := range w.columns {
		letter, width, decimals := layout(c)
		rowBytes += width
		field := make([]byte, 32)
		copy(field[:10], c.Short)
		field[11], field[16], field[17] = letter, byte(width), byte(decimals)
		fields = append(fields, field...)
	}
	head := make([]byte, 32)
	head[0], head[1], head[2], head[3] = 3, 126, 1, 1 // a date is required; it is the same for every export
	binary.LittleEndian.PutUint32(head[4:], w.records)
	binary.LittleEndian.PutUint16(head[8:], uint16(len(head)+len(fields)+1))
	binary.LittleEndian.PutUint16(head[10:], uint16(rowBytes))
	return append(append(head, fields...), '\r')
}

// shapeHead returns the head of the .shp or .shx file with that many bytes behind it.
func (w *shapefileWriter) shapeHead(behind int64) []byte {
	head := make([]byte, 28, 100)
	binary.BigEndian.PutUint32(head, shapefile.Code)
	binary.BigEndian.PutUint32(head[24:], uint32((100+behind)/2))
	head = binary.LittleEndian.AppendUint32(head, 1000)
	head = binary.LittleEndian.AppendUint32(head, w.kind)
	return appendFloats(head, w.box.MinX, w.box.MinY, w.box.MaxX, w.box.MaxY, 0, 0, 0, 0)
}

func (w *shapefileWriter) end() error {
	if err := w.dbf.append([]byte{0x1a}); err != nil {
		return err
	}
	archive := zip.NewWriter(w.to)
	err := errors.Join(
		w.shp.into(archive, w.stem+".shp", w.shapeHead(w.shp.size)),
		w.shx.into(archive, w.stem+".shx", w.shapeHead(w.shx.size)),
		w.dbf.into(archive, w.stem+".dbf", w.tableHead()),
		entry(archive, w.stem+".prj", strings.NewReader(wgs84WKT)),
		entry(archive, w.stem+".cpg", strings.NewReader("UTF-8")),
	)
	return errors.Join(err, archive.Close())
}

// entry writes an entry of an archive: compressed, and dated the first day that an archive can
// store, so that the same export gives the same bytes.
func entry(archive *zip.Writer, name string, content io.Reader) error {
	out, err := begin(archive, name, firstDay)
	if err == nil {
		_, err = io.Copy(out, content)
	}
	return err
}
