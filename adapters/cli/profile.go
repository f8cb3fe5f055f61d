package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

var formats = []string{"json", "csv", "svg"}

func (s *shell) profile() *cobra.Command {
	var catalog, field, from, to, index, mask, dataset, format string
	var asked seasonFlags
	c := &cobra.Command{
		Use: "profile", Short: "Compute a vegetation-index series without a database",
		Long: "Computes a series without a database. A series without an accepted date is written with its rejected ones; the reason goes to\n" +
			"stderr, with exit status 1.",
		Example: "  tilth profile --catalog DIR --field FILE.geojson --from 2019-01-01 --to 2019-12-31",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf(format, formats); err != nil {
				return err
			}
			req, err := profileRequest(field, from, to)
			if err == nil {
				err = readingFor(&req, index, mask, dataset)
			}
			if err != nil {
				return err
			}
			cfg := s.cfg
			cfg.ImageryURL = catalog
			computer, err := s.program.Series(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			computed, err := computer.Compute(cmd.Context(), req)
			if err != nil {
				return err
			}
			season, err := asked.season(computed)
			if err == nil {
				err = s.writeSeries(format, computed, req, season)
			}
			if err != nil {
				return err
			}
			if reason := computed.Empty(); reason != "" {
				return fault.New(fault.NotFound, "no_point", reason)
			}
			return nil
		},
	}
	codes := each(vegetation.Indices(), func(i vegetation.Index) string { return string(i.Code) })
	f := c.Flags()
	f.StringVar(&catalog, "catalog", "", "folder with a static STAC catalog, or address of a STAC API")
	f.StringVar(&field, "field", "", "GeoJSON file of the field's outline")
	f.StringVar(&from, "from", "", "first day, YYYY-MM-DD")
	f.StringVar(&to, "to", "", "last day, YYYY-MM-DD")
	f.StringVar(&index, "index", string(vegetation.NDVI), "index code: "+strings.Join(codes, ", "))
	f.StringVar(&mask, "mask", vegetation.MaskStandard.String(), "cloud mask: standard keeps SCL 4 to 7, strict 4 and 5; or parts, as docs/vegetation.md lists them")
	f.StringVar(&dataset, "dataset", vegetation.AllDatasets.String(), "data set of the archive: "+strings.Join(vegetation.DatasetChoices(), ", "))
	f.StringVar(&format, "format", "json", strings.Join(formats, ", "))
	asked.add(f)
	return required(c, "catalog", "field", "from", "to")
}

func (s *shell) writeSeries(format string, computed vegetation.Series, req satellite.SeriesRequest, season record) error {
	switch format {
	case "csv":
		return s.program.SeriesSheet(s.Out, computed)
	case "svg":
		return s.program.DrawSeries(s.Out, computed, req.From, req.To)
	default:
		enc := json.NewEncoder(s.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(append(seriesOf(computed), season...))
	}
}

// oneOf refuses a format that is not one of the formats given.
func oneOf(format string, formats []string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return usageError{fmt.Errorf("--format is one of %s, not %q", strings.Join(formats, ", "), format)}
}

func profileRequest(field, from, to string) (satellite.SeriesRequest, error) {
	var req satellite.SeriesRequest
	var err error
	if req.Boundary, err = readOutline("field", field); err != nil {
		return req, err
	}
	if req.From, err = day("from", from); err != nil {
		return req, err
	}
	if req.To, err = day("to", to); err != nil {
		return req, err
	}
	if req.To.Before(req.From) {
		return req, fault.Field("to", "The last day must not be before the first.")
	}
	return req, nil
}

// readingFor completes a request with the reading that three flags state.
func readingFor(req *satellite.SeriesRequest, index, mask, dataset string) (err error) {
	if req.Index, err = vegetation.ParseIndex(index); err != nil {
		return err
	}
	if req.Mask, err = vegetation.ParseMask(mask); err != nil {
		return err
	}
	req.Dataset, err = vegetation.ParseDataset(dataset)
	return err
}

func day(flag, text string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return d, fault.Field(flag, fmt.Sprintf("%q is not a date; write it as 2025-04-30.", text))
	}
	return d, nil
}

// seriesOf returns the JSON of a series, the same as that of a retrieve with ?detail=true.
func seriesOf(s vegetation.Series) record {
	mask := map[bool]string{true: "none", false: "scl"}[s.NoSCL]
	return record{
		{"index_code", s.Index}, {"mask", s.Mask.String()}, {"dataset", s.Dataset.String()}, {"synthetic", s.Synthetic}, {"cloud_mask", mask}, {"small_field", s.SmallField},
		{"warnings", each(s.Warnings(), func(w vegetation.Warning) record { return record{{"code", w.Code}, {"message", w.Message}} })},
		{"profile", each(s.Observations, pointOf)},
		{"observations", each(s.Observations, func(o vegetation.Observation) record {
			return append(pointOf(o), record{
				{"coverage", o.Coverage}, {"n_valid", o.NValid}, {"n_polygon", o.NPolygon}, {"median", o.Median}, {"std", o.Std},
				{"min", o.Min}, {"max", o.Max}, {"p10", o.P10}, {"p90", o.P90}, {"histogram", each(o.Histogram, binRecord)}, {"entropy", o.Histogram.Entropy()}, {"items", o.Items},
				{"offsets", each(o.Offsets, func(o vegetation.AppliedOffset) record {
					return record{{"item", o.Item}, {"offset", o.Offset}, {"basis", o.Basis}}
				})},
				{"sensor", o.Sensor},
			}...)
		})},
		{"rejected", each(s.Rejected, func(r vegetation.Rejection) record {
			return record{
				{"date", r.Date.Format(time.DateOnly)}, {"reason", r.Reason}, {"coverage", r.Coverage}, {"n_valid", r.NValid},
				{"n_polygon", r.NPolygon}, {"items", r.Items}, {"note", optional(r.Note)},
			}
		})},
	}
}

func binRecord(b vegetation.Bin) record {
	low, high, share := b.Range()
	return record{{"low", low}, {"high", high}, {"share", share}}
}

func pointOf(o vegetation.Observation) record {
	return record{{"date", o.Date.Format(time.DateOnly)}, {"value", o.Value}}
}
