package cli

import (
	"encoding/json"
	"fmt"
	"io"
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
	var catalog, field, from, to, index, mask, format string
	c := &cobra.Command{
		Use: "profile", Short: "Compute a vegetation-index series without a database",
		Example: "  tilth profile --catalog DIR --field FILE.geojson --from 2019-01-01 --to 2019-12-31",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(formats, format) {
				return usageError{fmt.Errorf("--format is one of %s, not %q", strings.Join(formats, ", "), format)}
			}
			req, err := profileRequest(field, from, to, index, mask)
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
			switch format {
			case "csv":
				return s.program.SeriesSheet(s.Out, computed)
			case "svg":
				return s.program.DrawSeries(s.Out, computed, req.From, req.To)
			default:
				return writeSeriesJSON(s.Out, computed)
			}
		},
	}
	f := c.Flags()
	f.StringVar(&catalog, "catalog", "", "folder with a static STAC catalog, or address of a STAC API")
	f.StringVar(&field, "field", "", "GeoJSON file of the field's outline")
	f.StringVar(&from, "from", "", "first day, YYYY-MM-DD")
	f.StringVar(&to, "to", "", "last day, YYYY-MM-DD")
	f.StringVar(&index, "index", string(vegetation.NDVI), "index code: "+indexCodes())
	f.StringVar(&mask, "mask", string(vegetation.MaskStandard), "standard keeps SCL 4 to 7, strict 4 and 5")
	f.StringVar(&format, "format", "json", strings.Join(formats, ", "))
	return required(c, "catalog", "field", "from", "to")
}

func indexCodes() string {
	var codes []string
	for _, i := range vegetation.Indices() {
		codes = append(codes, string(i.Code))
	}
	return strings.Join(codes, ", ")
}

func profileRequest(field, from, to, index, mask string) (satellite.SeriesRequest, error) {
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
	if req.Index, err = vegetation.ParseIndex(index); err != nil {
		return req, err
	}
	req.Mask, err = vegetation.ParseMask(mask)
	return req, err
}

func day(flag, text string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return d, fault.Field(flag, fmt.Sprintf("%q is not a date; write it as 2025-04-30.", text))
	}
	return d, nil
}

// The JSON of a series is that of a retrieve with ?detail=true.
type (
	seriesJSON struct {
		IndexCode    string            `json:"index_code"`
		Synthetic    bool              `json:"synthetic"`
		CloudMask    string            `json:"cloud_mask"`
		SmallField   bool              `json:"small_field"`
		Profile      []pointJSON       `json:"profile"`
		Observations []observationJSON `json:"observations"`
		Rejected     []rejectionJSON   `json:"rejected"`
	}
	pointJSON struct {
		Date  string  `json:"date"`
		Value float64 `json:"value"`
	}
	observationJSON struct {
		pointJSON
		Coverage float64      `json:"coverage"`
		NValid   int          `json:"n_valid"`
		NPolygon int          `json:"n_polygon"`
		Median   float64      `json:"median"`
		Std      float64      `json:"std"`
		Min      float64      `json:"min"`
		Max      float64      `json:"max"`
		P10      float64      `json:"p10"`
		P90      float64      `json:"p90"`
		Items    []string     `json:"items"`
		Offsets  []offsetJSON `json:"offsets"`
	}
	offsetJSON struct {
		Item   string                 `json:"item"`
		Offset float64                `json:"offset"`
		Basis  vegetation.OffsetBasis `json:"basis"`
	}
	rejectionJSON struct {
		Date     string   `json:"date"`
		Reason   string   `json:"reason"`
		Coverage float64  `json:"coverage"`
		NValid   int      `json:"n_valid"`
		NPolygon int      `json:"n_polygon"`
		Items    []string `json:"items"`
		Note     *string  `json:"note"`
	}
)

func writeSeriesJSON(w io.Writer, s vegetation.Series) error {
	out := seriesJSON{
		IndexCode: string(s.Index), Synthetic: s.Synthetic, CloudMask: "scl", SmallField: s.SmallField,
		Profile: []pointJSON{}, Observations: []observationJSON{}, Rejected: []rejectionJSON{},
	}
	if s.NoSCL {
		out.CloudMask = "none"
	}
	for _, o := range s.Observations {
		p := pointJSON{o.Date.Format(time.DateOnly), o.Value}
		out.Profile = append(out.Profile, p)
		out.Observations = append(out.Observations, observationJSON{
			p, o.Coverage, o.NValid, o.NPolygon, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, o.Items, showOffsets(o.Offsets),
		})
	}
	for _, r := range s.Rejected {
		out.Rejected = append(out.Rejected, rejectionJSON{
			r.Date.Format(time.DateOnly), string(r.Reason), r.Coverage, r.NValid, r.NPolygon, r.Items, optional(r.Note),
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func showOffsets(offsets []vegetation.AppliedOffset) []offsetJSON {
	out := make([]offsetJSON, len(offsets))
	for i, o := range offsets {
		out[i] = offsetJSON(o)
	}
	return out
}
