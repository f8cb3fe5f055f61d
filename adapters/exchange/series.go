package exchange

import (
	"fmt"
	"io"

	"tilth/core/cropcheck"
	"tilth/core/fault"
)

// ReadSeries reads series: CSV with a header and one line per date; `id`, `date` and `ndvi` are
// required. The lines of an id need not be adjacent; ids keep the order of their first lines. A
// series has EVI where each of its lines has `evi`. Every date weighs 1. Faults: Invalid, with the
// line or the id.
func (Curves) ReadSeries(r io.Reader) ([]cropcheck.NamedSeries, error) {
	type open struct {
		id           string
		hasEVI       bool
		observations []cropcheck.Observation
	}
	var all []*open
	byID := map[string]*open{}
	err := readTable(r, []string{"id", "date", "ndvi"}, func(row *row) error {
		id := row.text("id")
		o := cropcheck.Observation{Date: row.date("date"), NDVI: row.number("ndvi"), EVI: row.optional("evi"), Coverage: 1}
		s, ok := byID[id]
		if !ok {
			s = &open{id: id, hasEVI: true}
			byID[id], all = s, append(all, s)
		}
		s.hasEVI = s.hasEVI && row.get("evi") != ""
		s.observations = append(s.observations, o)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]cropcheck.NamedSeries, len(all))
	for i, s := range all {
		series, err := cropcheck.NewSeries(s.hasEVI, s.observations)
		if err != nil {
			return nil, fault.Field("file", fmt.Sprintf("The series %q: %v", s.id, err))
		}
		out[i] = cropcheck.NamedSeries{ID: s.id, Series: series}
	}
	return out, nil
}

// ReadSamples reads labelled series from two files: samples, CSV with `id`, `label` and
// `start_date` (the first day of the sample's growing year), and `longitude` and `latitude`
// where they are known; and their series, as ReadSeries reads them. A series without a sample is
// ignored; a sample without a series is a fault. Faults: Invalid.
func (c Curves) ReadSamples(samples, series io.Reader) ([]cropcheck.Sample, error) {
	named, err := c.ReadSeries(series)
	if err != nil {
		return nil, err
	}
	byID := map[string]cropcheck.Series{}
	for _, s := range named {
		byID[s.ID] = s.Series
	}
	var out []cropcheck.Sample
	seen := map[string]bool{}
	err = readTable(samples, []string{"id", "label", "start_date"}, func(row *row) error {
		s := cropcheck.Sample{ID: row.text("id"), Class: row.text("label"), Start: row.date("start_date")}
		s.Place.Lon, s.Place.Lat = row.optional("longitude"), row.optional("latitude")
		if seen[s.ID] {
			return fmt.Errorf("the id %q occurs twice", s.ID)
		}
		seen[s.ID] = true
		var ok bool
		if s.Series, ok = byID[s.ID]; !ok {
			return fmt.Errorf("the sample %q has no series", s.ID)
		}
		out = append(out, s)
		return nil
	})
	return out, err
}
