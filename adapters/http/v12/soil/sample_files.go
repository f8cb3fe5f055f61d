package soil

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/sample"
)

// importColumns are the columns that an import reads.
var importColumns = []string{
	"label", "status", "lon", "lat", "collected_at", "collected_by", "accuracy_m",
	"soc_pct", "bulk_density_g_cm3", "coarse_fragments_pct", "method", "lab_ref", "analysed_at", "notes",
}

// exportColumns are the columns of an export, those of an import among them.
var exportColumns = append([]string{
	"id", "plan", "aoi", "round", "point", "zone", "role", "depth_from_cm", "depth_to_cm", "planned_lon", "planned_lat", "moved_m", "out_of_zone",
}, importColumns...)

// maxSampleFile bounds a file of results: 10,000 rows with long notes.
const maxSampleFile = 8 << 20

func rawObject(v any) (rest.RawObject, error) { return json.Marshal(v) }

// sampleRows reads the rows of a file.
func sampleRows(file io.Reader) ([]soil.SampleRow, error) {
	content, err := io.ReadAll(io.LimitReader(file, maxSampleFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxSampleFile {
		return nil, fault.Field("file", "A file has at most 8 MiB.")
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	var cells []map[string]string
	if start := bytes.TrimLeft(content, " \t\r\n"); len(start) > 0 && start[0] == '[' {
		cells, err = jsonCells(content)
	} else {
		cells, err = csvCells(content)
	}
	if err != nil {
		return nil, err
	}
	rows := make([]soil.SampleRow, len(cells))
	for i, row := range cells {
		rows[i] = sampleRow(row)
	}
	return rows, nil
}

func jsonCells(content []byte) ([]map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var objects []map[string]any
	if err := d.Decode(&objects); err != nil || d.Decode(&struct{}{}) != io.EOF {
		return nil, fault.Field("file", "This is no JSON array of objects.")
	}
	out := make([]map[string]string, len(objects))
	for i, object := range objects {
		out[i] = map[string]string{}
		for name, v := range object {
			if v != nil {
				out[i][name] = strings.TrimSpace(fmt.Sprint(v))
			}
		}
	}
	return out, nil
}

// csvCells reads CSV (RFC 4180) separated by commas or, as spreadsheets of many countries write
// it, by semicolons.
func csvCells(content []byte) ([]map[string]string, error) {
	head, _, _ := bytes.Cut(content, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(content))
	if bytes.Count(head, []byte(";")) > bytes.Count(head, []byte(",")) {
		r.Comma = ';'
	}
	names, err := r.Read()
	if err != nil {
		return nil, fault.Field("file", "The file has no header.")
	}
	for i := range names {
		names[i] = strings.ToLower(strings.TrimSpace(names[i]))
	}
	if !slices.Contains(names, "label") {
		return nil, fault.Field("file", "The header has no column label.")
	}
	var out []map[string]string
	for len(out) <= soil.MaxSampleRows {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fault.Field("file", "Row "+strconv.Itoa(len(out)+1)+" is no CSV: "+err.Error()+".")
		}
		row := map[string]string{}
		for i, cell := range cells {
			row[names[i]] = unquoted(strings.TrimSpace(cell))
		}
		out = append(out, row)
	}
	return out, nil
}

// unquoted takes off the apostrophe that exports put before what a spreadsheet would run.
func unquoted(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune("=+-@\t\r", rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

// sampleRow reads a row.
func sampleRow(cells map[string]string) soil.SampleRow {
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
	return soil.SampleRow{Label: cells["label"], Errors: f, Lay: func(s sample.Sample) sample.Sample {
		if status := cells["status"]; status != "" {
			s.Status = sample.Status(status)
		}
		if notes := cells["notes"]; notes != "" {
			s.Notes = notes
		}
		if lon != nil || accuracy != nil || collected != nil || cells["collected_by"] != "" {
			s.Collected = collectedOf(s.Collected, lon, lat, accuracy, collected, cells["collected_by"])
		}
		if soc != nil || density != nil || fragments != nil || analysed != nil || cells["method"] != "" || cells["lab_ref"] != "" {
			s.Lab = labOf(s.Lab, soc, density, fragments, analysed, cells["method"], cells["lab_ref"])
		}
		return s
	}}
}

func collectedOf(was *sample.Collected, lon, lat, accuracy *float64, at *time.Time, by string) *sample.Collected {
	out := sample.Collected{}
	if was != nil {
		out = *was
	}
	if lon != nil && lat != nil {
		out.LonLat = &geo.Position{X: *lon, Y: *lat}
	}
	if accuracy != nil {
		out.AccuracyM = accuracy
	}
	put(&out.At, at)
	if by != "" {
		out.By = by
	}
	return &out
}

// labOf lays results over what a laboratory found before. Without a share of carbon there is no
// analysis: a share that cannot be is refused by the rules.
func labOf(was *sample.Lab, soc, density, fragments *float64, at *time.Time, method, ref string) *sample.Lab {
	out := sample.Lab{SOCPct: -1}
	if was != nil {
		out = *was
	}
	put(&out.SOCPct, soc)
	if density != nil {
		out.BulkDensity = density
	}
	if fragments != nil {
		out.CoarseFragmentsPct = fragments
	}
	if at != nil {
		out.At = at
	}
	if method != "" {
		out.Method = method
	}
	if ref != "" {
		out.Ref = ref
	}
	return &out
}

// exported returns the values of a sample by the columns of an export.
func exported(s sample.Sample) []any {
	shown := showSample(s)
	c, l := shown.Collected, shown.Lab
	if c == nil {
		c = &CollectedSample{}
	}
	var soc *float64
	if l == nil {
		l = &SampleLab{}
	} else {
		soc = &l.SOCPct
	}
	var at *time.Time
	if !c.At.IsZero() {
		at = &c.At
	}
	return []any{
		s.ID, s.PlanUUID, s.AOI.Name, s.Round, s.Point, int64(s.Zone), string(s.Role), shown.DepthFrom, shown.DepthTo, s.Planned.X, s.Planned.Y, c.MovedM, c.OutOfZone,
		s.Label, shown.Status, c.Lon, c.Lat, at, c.By, c.AccuracyM,
		soc, l.BulkDensity, l.CoarseFragmentsPct, form.OrZero(l.Method), form.OrZero(l.LabRef), l.At, s.Notes,
	}
}

func cellOf(v any) string {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case *time.Time:
		if v == nil {
			return ""
		}
		return v.UTC().Format(time.RFC3339Nano)
	case string:
		if v != "" && strings.ContainsRune("=+-@\t\r", rune(v[0])) {
			return "'" + v // a spreadsheet would take it for a formula and run it
		}
		return v
	default:
		return fmt.Sprint(v)
	}
}

func sampleCSV(each iter.Seq2[sample.Sample, error]) func(io.Writer) error {
	return func(to io.Writer) error {
		w := csv.NewWriter(to)
		if err := w.Write(exportColumns); err != nil {
			return err
		}
		for s, err := range each {
			if err != nil {
				return err
			}
			var row []string
			for _, v := range exported(s) {
				row = append(row, cellOf(v))
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	}
}

func sampleGeoJSON(each iter.Seq2[sample.Sample, error]) func(io.Writer) error {
	return func(to io.Writer) error {
		w := bufio.NewWriterSize(to, 64<<10)
		between := `{"type":"FeatureCollection","features":[` + "\n"
		for s, err := range each {
			if err != nil {
				return err
			}
			properties := map[string]any{}
			for i, v := range exported(s) {
				properties[exportColumns[i]] = v
			}
			at := s.Planned
			if s.Collected != nil && s.Collected.LonLat != nil {
				at = *s.Collected.LonLat
			}
			line, err := json.Marshal(map[string]any{
				"type": "Feature", "properties": properties, "geometry": map[string]any{"type": "Point", "coordinates": [2]float64{at.X, at.Y}},
			})
			if err != nil {
				return err
			}
			_, _ = w.WriteString(between) // an error stays, and Flush gives it
			_, _ = w.Write(line)
			between = ",\n"
		}
		if between != ",\n" {
			_, _ = w.WriteString(between)
		}
		_, _ = w.WriteString("\n]}\n")
		return w.Flush()
	}
}
