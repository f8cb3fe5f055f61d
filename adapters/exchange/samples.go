package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// SampleTables implements ports.SampleTables.
type SampleTables struct{}

// sampleColumns are the columns of an export, those of an import among them.
var sampleColumns = append([]string{
	"id", "plan", "aoi", "round", "point", "zone", "role", "depth_from_cm", "depth_to_cm", "planned_lon", "planned_lat", "moved_m", "out_of_zone",
}, ports.SampleColumns...)

// maxSampleFile bounds a file of results: 10,000 rows with long notes.
const maxSampleFile = 8 << 20

// Read implements ports.SampleTables.
func (SampleTables) Read(file io.Reader, maxRows int) ([]ports.SampleRow, error) {
	content, err := io.ReadAll(io.LimitReader(file, maxSampleFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxSampleFile {
		return nil, fault.Field("file", "A file has at most 8 MiB.")
	}
	content = bytes.TrimPrefix(content, byteOrderMark)
	if start := bytes.TrimLeft(content, " \t\r\n"); len(start) > 0 && start[0] == '[' {
		return sampleObjects(content)
	}
	var rows []ports.SampleRow
	err = readTable(bytes.NewReader(content), []string{"label"}, func(row *row) error {
		if len(rows) == maxRows {
			return fmt.Errorf("a file has 1 to %d rows", maxRows)
		}
		rows = append(rows, sampleRow(row.cells))
		return nil
	})
	return rows, err
}

func sampleObjects(content []byte) ([]ports.SampleRow, error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var objects []map[string]any
	if err := d.Decode(&objects); err != nil || d.Decode(&struct{}{}) != io.EOF {
		return nil, fault.Field("file", "This is no JSON array of objects.")
	}
	out := make([]ports.SampleRow, len(objects))
	for i, object := range objects {
		cells := map[string]string{}
		for name, v := range object {
			if v != nil {
				cells[name] = strings.TrimSpace(fmt.Sprint(v))
			}
		}
		out[i] = sampleRow(cells)
	}
	return out, nil
}

func sampleRow(cells map[string]string) ports.SampleRow {
	f := fault.Fields{}
	number := func(name string) *float64 {
		if cells[name] == "" {
			return nil
		}
		v, err := strconv.ParseFloat(cells[name], 64)
		if err != nil || v != v || v > 1e300 || v < -1e300 {
			f.Addf(name, "%q is no number; decimals follow a point.", cells[name])
		}
		return &v
	}
	moment := func(name string) *time.Time {
		if cells[name] == "" {
			return nil
		}
		for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
			if t, err := time.Parse(layout, cells[name]); err == nil {
				t = t.UTC()
				return &t
			}
		}
		f.Addf(name, "%q is no time as 2026-03-01T12:00:00Z, nor a date as 2026-03-01.", cells[name])
		return nil
	}
	lon, lat, accuracy, collected := number("lon"), number("lat"), number("accuracy_m"), moment("collected_at")
	soc, density, fragments, analysed := number("soc_pct"), number("bulk_density_g_cm3"), number("coarse_fragments_pct"), moment("analysed_at")
	if cells["label"] == "" {
		f.Add("label", "This field may not be blank.")
	}
	if (lon == nil) != (lat == nil) {
		f.Add("lon", "Give lon and lat, or neither.")
	}
	return ports.SampleRow{Label: cells["label"], Errors: f, Apply: func(s sample.Sample) sample.Sample {
		over(&s.Status, sample.Status(cells["status"]))
		over(&s.Notes, cells["notes"])
		if lon != nil || accuracy != nil || collected != nil || cells["collected_by"] != "" {
			c := sample.Collected{}
			if s.Collected != nil {
				c = *s.Collected
			}
			if lon != nil && lat != nil {
				c.LonLat = &geo.Position{X: *lon, Y: *lat}
			}
			over(&c.AccuracyM, accuracy)
			over(&c.By, cells["collected_by"])
			if collected != nil {
				c.At = *collected
			}
			s.Collected = &c
		}
		if soc != nil || density != nil || fragments != nil || analysed != nil || cells["method"] != "" || cells["lab_ref"] != "" {
			l := sample.Lab{SOCPct: -1} // without a share of carbon there is no analysis: the rules refuse this one
			if s.Lab != nil {
				l = *s.Lab
			}
			if soc != nil {
				l.SOCPct = *soc
			}
			over(&l.BulkDensity, density)
			over(&l.CoarseFragmentsPct, fragments)
			over(&l.Method, cells["method"])
			over(&l.Ref, cells["lab_ref"])
			over(&l.At, analysed)
			s.Lab = &l
		}
		return s
	}}
}

// over sets what a row says; what it leaves out stays.
func over[T comparable](at *T, said T) {
	if said != *new(T) {
		*at = said
	}
}

// sampleValues returns the values of a sample by the columns of an export.
func sampleValues(s sample.Sample) []any {
	var lon, lat, accuracy, moved, soc, density, fragments *float64
	var taken, analysed *time.Time
	by, method, ref := "", "", ""
	if c := s.Collected; c != nil {
		by, accuracy, moved = c.By, c.AccuracyM, c.MovedM
		if c.LonLat != nil {
			lon, lat = &c.LonLat.X, &c.LonLat.Y
		}
		if !c.At.IsZero() {
			taken = &c.At
		}
	}
	if l := s.Lab; l != nil {
		soc, density, fragments, method, ref, analysed = &l.SOCPct, l.BulkDensity, l.CoarseFragmentsPct, l.Method, l.Ref, l.At
	}
	return []any{
		s.ID, s.PlanUUID, s.AOI.Name, s.Round, s.Point, int64(s.Zone), string(s.Role), s.Depth.FromCm(), s.Depth.ToCm(), s.Planned.X, s.Planned.Y, moved, s.OutOfZone(),
		s.Label, string(s.Status), lon, lat, taken, by, accuracy, soc, density, fragments, method, ref, analysed, s.Notes,
	}
}

// Write implements ports.SampleTables. A sample lies where it was taken, or else planned.
func (SampleTables) Write(to io.Writer, format string, samples iter.Seq2[sample.Sample, error]) error {
	f := shapesFile{format: format}
	for _, name := range sampleColumns {
		f.columns = append(f.columns, ports.Column{Name: name})
	}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		for s, err := range samples {
			at := &s.Planned
			if s.Collected != nil && s.Collected.LonLat != nil {
				at = s.Collected.LonLat
			}
			if !yield(shape{point: at, values: sampleValues(s)}, err) || err != nil {
				return
			}
		}
	})
}
