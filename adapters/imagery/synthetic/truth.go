package synthetic

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tilth/core/vegetation"
)

// A date counts when at least half of the polygon's pixels, and at least ten, are clear.
const (
	minCoverage = 0.5
	minPixels   = 10
)

// TruthRow is what a correct program finds for one parcel on one date, with the pixels of both
// tiles merged. It is computed from the written digital numbers by a loop of its own.
type TruthRow struct {
	Parcel   string
	Date     time.Time // midnight, UTC
	NPolygon int       // 10 m pixels whose centre is in the polygon
	NValid   int       // of these, with SCL 4, 5, 6 or 7
	MeanNDVI float64   // of the valid pixels; 0 where there are none
	// Accepted by coverage of at least 0.5 and at least ten valid pixels. The parcel with fewer than
	// ten pixels is never accepted by this rule; programs that weight by area find its curve.
	Accepted  bool
	CurveNDVI float64 // the mean without noise and rounding
}

func (l *land) truth(day passDay, s shot) []TruthRow {
	_, _, offset := day.convention()
	var rows []TruthRow
	for p, parcel := range l.parcels {
		row := TruthRow{Parcel: parcel.Name, Date: day.date, NPolygon: len(l.inside[p]), CurveNDVI: parcel.Curve.NDVI(day.date)}
		sum := 0.0
		for _, i := range l.inside[p] {
			if class := s[vegetation.SCL][cellOf(i)]; class < 4 || class > 7 {
				continue
			}
			red := float64(s[vegetation.B04][i])/unity + offset
			nir := float64(s[vegetation.B08][i])/unity + offset
			sum += (nir - red) / (nir + red)
			row.NValid++
		}
		if row.NValid > 0 {
			row.MeanNDVI = sum / float64(row.NValid)
		}
		row.Accepted = row.NValid >= minPixels && float64(row.NValid) >= minCoverage*float64(row.NPolygon)
		rows = append(rows, row)
	}
	return rows
}

var truthHeader = []string{"parcel", "date", "n_polygon", "n_valid", "mean_ndvi", "accepted", "curve_ndvi"}

func encodeTruth(rows []TruthRow) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(truthHeader) // to memory: never fails
	for _, r := range rows {
		_ = w.Write([]string{
			r.Parcel, r.Date.Format(time.DateOnly), strconv.Itoa(r.NPolygon), strconv.Itoa(r.NValid),
			strconv.FormatFloat(r.MeanNDVI, 'g', -1, 64), strconv.FormatBool(r.Accepted), strconv.FormatFloat(r.CurveNDVI, 'g', -1, 64),
		})
	}
	w.Flush()
	return b.Bytes()
}

func decodeTruth(raw []byte) ([]TruthRow, error) {
	records, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || !slices.Equal(records[0], truthHeader) {
		return nil, errors.New("not the columns of a truth table")
	}
	rows := make([]TruthRow, 0, len(records)-1)
	for line, r := range records[1:] {
		row := TruthRow{Parcel: r[0]}
		var errs [6]error
		row.Date, errs[0] = time.Parse(time.DateOnly, r[1])
		row.NPolygon, errs[1] = strconv.Atoi(r[2])
		row.NValid, errs[2] = strconv.Atoi(r[3])
		row.MeanNDVI, errs[3] = strconv.ParseFloat(r[4], 64)
		row.Accepted, errs[4] = strconv.ParseBool(r[5])
		row.CurveNDVI, errs[5] = strconv.ParseFloat(r[6], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("line %d: %w", line+2, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
