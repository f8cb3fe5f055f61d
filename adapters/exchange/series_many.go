package exchange

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"time"

	"tilth/core/vegetation"
	"tilth/ports"
)

// SeriesOfMany implements ports.Sheets.
func (Sheets) SeriesOfMany(w io.Writer, format string, all iter.Seq2[ports.OrderSeries, error]) error {
	switch format {
	case ports.CSV, ports.XLSX:
		return seriesTable(w, format, all)
	case ports.GeoJSON:
		return seriesGeoJSON(w, all)
	default:
		return seriesLines(w, all)
	}
}

// orderHead is what every form of a series states about its order.
type orderHead struct {
	OrderID    int64  `json:"order_id"`
	Field      int64  `json:"field"`
	FieldUUID  string `json:"field_uuid"`
	Season     int64  `json:"season"`
	IndexCode  string `json:"index_code"`
	Mask       string `json:"mask"`
	Dataset    string `json:"dataset"`
	BoundaryID *int64 `json:"boundary_id"`
	Synthetic  bool   `json:"synthetic"`
}

func headOf(s ports.OrderSeries) orderHead {
	o := s.Order
	head := orderHead{
		OrderID: o.ID, Field: o.FieldID, FieldUUID: o.FieldUUID, Season: o.SeasonID, IndexCode: o.Index,
		Mask: o.Mask.String(), Dataset: o.Dataset.String(), Synthetic: s.Series.Synthetic,
	}
	if o.BoundaryID != 0 {
		head.BoundaryID = &o.BoundaryID
	}
	return head
}

type linePoint struct {
	Date     string  `json:"date"`
	Value    float64 `json:"value"`
	Coverage float64 `json:"coverage"`
	NValid   int     `json:"n_valid"`
	NPolygon int     `json:"n_polygon"`

	Sensor *vegetation.Sensor `json:"sensor,omitempty"`
}

// seriesLines writes one order per line, each a JSON object.
func seriesLines(w io.Writer, all iter.Seq2[ports.OrderSeries, error]) error {
	out := json.NewEncoder(w)
	for s, err := range all {
		if err != nil {
			return err
		}
		points := make([]linePoint, len(s.Series.Observations))
		for i, o := range s.Series.Observations {
			points[i] = linePoint{o.Date.Format(time.DateOnly), o.Value, o.Coverage, o.NValid, o.NPolygon, o.Sensor}
		}
		err := out.Encode(struct {
			orderHead
			Profile []linePoint `json:"profile"`
		}{headOf(s), points})
		if err != nil {
			return err
		}
	}
	return nil
}

var seriesOfManyColumns = []string{"order_id", "field", "field_uuid", "season", "index_code", "date", "value", "coverage", "n_valid", "n_polygon", "mask", "dataset", "sensor", "adjusted", "not_adjusted"}

// seriesTable writes one point per line.
func seriesTable(w io.Writer, format string, all iter.Seq2[ports.OrderSeries, error]) error {
	out, err := newTable(w, format, "Series", seriesOfManyColumns)
	if err != nil {
		return err
	}
	for s, err := range all {
		if err != nil {
			return err
		}
		h := headOf(s)
		for _, o := range s.Series.Observations {
			line := []any{h.OrderID, h.Field, h.FieldUUID, h.Season, h.IndexCode, day(o.Date), o.Value, o.Coverage, o.NValid, o.NPolygon, h.Mask, h.Dataset}
			err := out.line(append(line, sensorOf(o)...)...)
			if err != nil {
				return err
			}
		}
	}
	return out.end()
}

// seriesGeoJSON writes a FeatureCollection (RFC 7946): one feature per order. Its geometry is the outline of the
// series, and its properties have one member per date.
func seriesGeoJSON(w io.Writer, all iter.Seq2[ports.OrderSeries, error]) error {
	out := bufio.NewWriter(w)
	separator := `{"type":"FeatureCollection","features":[`
	for s, err := range all {
		if err != nil {
			return err
		}
		geometry, err := json.Marshal(s.Order.Boundary)
		if err != nil {
			return err
		}
		properties, err := json.Marshal(headOf(s))
		if err != nil {
			return err
		}
		for _, o := range s.Series.Observations {
			value, err := json.Marshal(o.Value)
			if err != nil {
				return err
			}
			properties = append(properties[:len(properties)-1], `,"`+o.Date.Format(time.DateOnly)+`":`+string(value)+"}"...)
		}
		// Flush of a buffered writer returns its first error.
		_, _ = out.WriteString(separator + `{"type":"Feature","geometry":` + string(geometry) + `,"properties":` + string(properties) + "}")
		separator = ",\n"
	}
	if separator[0] == '{' {
		_, _ = out.WriteString(separator)
	}
	_, _ = out.WriteString("]}\n")
	return out.Flush()
}
