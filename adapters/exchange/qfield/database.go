package qfield

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/geopackage"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/crew"
)

// maxValue is the maximum number of bytes of a value: no geometry of a point needs a thousandth of it.
const maxValue = 1 << 20

// longestRead is the maximum time for reading a GeoPackage: a sound one takes a hundredth of it.
const longestRead = 20 * time.Second

// database reads a GeoPackage sent by strangers: only tables, only their stored columns, and nothing that its schema would run.
type database struct {
	conn    *sql.Conn
	maxRows int
}

func readDatabase(ctx context.Context, name string, log bool, maxRows int) ([]crew.Point, []crew.Sample, error) {
	ctx, stop := context.WithTimeout(ctx, longestRead)
	defer stop()
	conn, shut, err := geopackage.Open(ctx, name, log, maxValue)
	if err != nil {
		return nil, nil, unreadable(ctx, err)
	}
	defer shut()
	d := database{conn, maxRows}
	points, err := each(ctx, d, pointLayer, append([]string{"geom"}, names(pointColumns)...), []string{"geom", "point", "status", "planned_lon", "planned_lat"}, pointOf)
	if err != nil {
		return nil, nil, unreadable(ctx, err)
	}
	samples, err := each(ctx, d, sampleLayer, names(sampleColumns), []string{"label", "point", "status"}, sampleOf)
	return points, samples, unreadable(ctx, err)
}

func names(columns []column) []string {
	return list.Map(columns, func(c column) string { return c.Name })
}

// unreadable turns an error of SQLite into a fault of the file. It leaves faults as they are, and errors after the caller has left.
func unreadable(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok || errors.Is(context.Cause(ctx), context.Canceled) {
		return err
	}
	if ctx.Err() != nil {
		return refuse("The GeoPackage takes longer than %v to be read. Fix: send the package as it came from the device.", longestRead)
	}
	return refuse("The GeoPackage cannot be read: it is damaged (%.120s). Fix: open it in QGIS, and save the layers points and samples to a new GeoPackage.", err.Error())
}

// each returns the rows of a table. Columns that it lacks are null, except that those that are needed must exist.
func each[T any](ctx context.Context, d database, table string, columns, needed []string, read func(record) T) (out []T, err error) {
	has, err := d.columns(ctx, table)
	if err != nil {
		return nil, err
	}
	for _, name := range needed {
		if !slices.Contains(has, name) {
			return nil, refuse("The layer %s has no column %s. Fix: send a package that was exported from a plan; its columns keep their names.", table, name)
		}
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return !slices.Contains(has, name) })
	rows, err := d.conn.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %s NOT INDEXED LIMIT %d",
		strings.Join(list.Map(columns, stored), ", "), table, d.maxRows+1))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		if len(out) == d.maxRows {
			return nil, refuse("The layer %s has more than %d rows.", table, d.maxRows)
		}
		r := record{values: make(map[string]any, len(columns)), wrong: fault.Fields{}}
		cells, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			places[i] = &cells[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		for i, name := range columns {
			r.values[name] = cells[i]
		}
		out = append(out, read(r))
	}
	return out, rows.Err()
}

// stored returns a column as it is stored: the driver would read text as a time where the schema says so.
func stored(name string) string {
	if slices.ContainsFunc(slices.Concat(pointColumns, sampleColumns), func(c column) bool {
		return c.Name == name && (c.Type == geopackage.Text || c.Type == geopackage.DateTime)
	}) {
		return "CAST(" + name + " AS TEXT)"
	}
	return name
}

func (d database) columns(ctx context.Context, table string) ([]string, error) {
	columns, err := geopackage.Columns(ctx, d.conn, table)
	switch {
	case errors.Is(err, geopackage.ErrNoTable):
		return nil, refuse("The GeoPackage has no layer %s. Fix: send a package that was exported from a plan with format=qfield.", table)
	case errors.Is(err, geopackage.ErrOdd):
		return nil, refuse("In the GeoPackage %s is not a table but a view or a virtual table. Fix: send the package as it came from the device.", table)
	}
	return list.Map(columns, func(c geopackage.Column) string { return c.Name }), err
}

// record is a row of a table, and the faults of its values that cannot be read.
type record struct {
	values map[string]any
	wrong  fault.Fields
}

func (r record) text(name string) string {
	text, _ := r.values[name].(string)
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")); strings.ContainsRune(text, 0) {
		r.wrong.Addf(name, "It holds characters that cannot be shown.")
		return ""
	}
	return text
}

func (r record) number(name string) *float64 {
	var out float64
	switch v := r.values[name].(type) {
	case nil:
		return nil
	case float64:
		out = v
	case int64:
		out = float64(v)
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			r.wrong.Addf(name, "%.40q is not a number.", v)
			return nil
		}
		out = n
	default:
		r.wrong.Addf(name, "This is not a number.")
		return nil
	}
	return &out
}

func (r record) place(lon, lat string) *geo.Position {
	x, y := r.number(lon), r.number(lat)
	if x == nil && y == nil {
		return nil
	}
	if x == nil || y == nil || !(*x >= -180 && *x <= 180 && *y >= -90 && *y <= 90) {
		r.wrong.Addf(lon, "%s and %s are in degrees; give both or neither.", lon, lat)
		return nil
	}
	return &geo.Position{X: *x, Y: *y}
}

// timeForms are the forms in which programs write times into a GeoPackage.
var timeForms = []string{"2006-01-02T15:04:05.999Z07:00", "2006-01-02T15:04:05.999", "2006-01-02 15:04:05.999Z07:00", "2006-01-02 15:04:05.999", time.DateOnly}

// moment returns a time; zoned: it states its time zone.
func (r record) moment(name string) (at *time.Time, zoned bool) {
	said := r.text(name)
	if said == "" {
		return nil, false
	}
	for i, form := range timeForms {
		if t, err := time.Parse(form, said); err == nil {
			t = t.UTC()
			return &t, i == 0 || i == 2
		}
	}
	r.wrong.Addf(name, "%.40q is not a time such as 2026-03-01T09:30:00.", said)
	return nil, false
}

// photoColumns are the columns of photos.
var photoColumns = []string{"photo", "photo_2", "photo_3"}

func pointOf(r record) crew.Point {
	p := crew.Point{
		ID: r.text("point"), Status: crew.Status(r.text("status")), By: r.text("collected_by"), Notes: r.text("notes"),
		Measured: r.place("lon", "lat"), Accuracy: r.number("accuracy_m"), Errors: r.wrong,
	}
	if planned := r.place("planned_lon", "planned_lat"); planned != nil {
		p.Planned = *planned
	} else {
		r.wrong.Add("planned_lon", "The planned place is missing. Fix: restore planned_lon and planned_lat; a point is moved on the map.")
	}
	blob, _ := r.values["geom"].([]byte)
	var err error
	if p.OnMap, err = geopackage.ReadPoint(blob); err != nil {
		r.wrong.Addf("geom", "The geometry cannot be read: %v.", err)
	}
	clock, zoned := r.moment("collected_at")
	if utc := r.number("collected_utc"); utc != nil {
		t := time.UnixMicro(int64(*utc)).UTC()
		p.At, p.Clock = &t, clock
	} else if zoned {
		p.At = clock
	} else {
		p.Clock = clock
	}
	for _, name := range photoColumns {
		said := strings.ReplaceAll(r.text(name), `\`, "/")
		if said == "" {
			continue
		}
		if !filepath.IsLocal(said) {
			r.wrong.Addf("photo", "%.200q is not below the folder of the package. Fix: copy the photo into %s/, and choose it there.", said, attachments)
			continue
		}
		p.Photos = append(p.Photos, said)
	}
	return p
}

func sampleOf(r record) crew.Sample {
	return crew.Sample{Label: r.text("label"), Point: r.text("point"), Status: crew.Status(r.text("status")), Notes: r.text("notes"), Errors: r.wrong}
}
