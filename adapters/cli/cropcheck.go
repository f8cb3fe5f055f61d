package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"tilth/core/cropcheck"
)

// CurveFiles reads and writes the files of crop verification.
type CurveFiles interface {
	// BuiltIn returns the curves that the program comes with.
	BuiltIn() (cropcheck.Set, error)
	// ReadCurves reads a file of curves.
	ReadCurves(r io.Reader) (cropcheck.Set, error)
	// WriteCurves writes curves as ReadCurves reads them.
	WriteCurves(w io.Writer, s cropcheck.Set) error
	// ReadSeries reads a file of series.
	ReadSeries(r io.Reader) ([]cropcheck.NamedSeries, error)
	// ReadSamples reads labelled series: a file of samples and one of their series.
	ReadSamples(samples, series io.Reader) ([]cropcheck.Sample, error)
}

func (s *shell) curves() *cobra.Command {
	c := &cobra.Command{Use: "curves", Short: "Reference curves of crops, for crop-check"}
	c.AddCommand(s.curvesBuild(), s.curvesImport(), s.curvesShow())
	return c
}

func (s *shell) curvesBuild() *cobra.Command {
	var samples, series string
	c := &cobra.Command{
		Use: "build", Short: "Make curves of labelled series, and print them as CSV",
		Long: `Makes curves of labelled series: per class and 16 days the median and quartiles of
NDVI and the median of EVI. --samples is a CSV id,label,start_date, where start_date is
the first day of the sample's growing year; --series is a CSV id,date,ndvi[,evi].`,
		Example: "  tilth curves build --samples samples.csv --series series.csv > curves.csv",
		RunE: func(*cobra.Command, []string) error {
			labelled, err := s.readSamples(samples, series)
			if err != nil {
				return err
			}
			set, err := cropcheck.Build(labelled)
			if err != nil {
				return err
			}
			return s.program.CurveFiles().WriteCurves(s.out, set)
		},
	}
	c.Flags().StringVar(&samples, "samples", "", "CSV of samples: id,label,start_date")
	c.Flags().StringVar(&series, "series", "", "CSV of their series: id,date,ndvi[,evi]")
	return required(c, "samples", "series")
}

func (s *shell) readSamples(samples, series string) ([]cropcheck.Sample, error) {
	labels, err := os.Open(samples)
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	values, err := os.Open(series)
	if err != nil {
		return nil, err
	}
	defer values.Close()
	return s.program.CurveFiles().ReadSamples(bufio.NewReader(labels), bufio.NewReader(values))
}

func (s *shell) cropCheck() *cobra.Command {
	var series, curves string
	var declared []string
	c := &cobra.Command{
		Use: "crop-check", Short: "Say whether a declared crop could have grown, by its season's series",
		Long: `Compares series with reference curves by time-weighted dynamic time warping, and says
for each whether the declared crop could be the one that grew: verified, failed, or
pending where it cannot be said. It prints a JSON object a line, one for each id.

The curves that Tilth comes with are of double-cropping systems of Mato Grosso, Brazil,
seen at 250 m, and say nothing of other regions. docs/crop-check.md has their accuracy.

The command uses no database: without --curves it takes the curves that Tilth comes with,
whatever was imported. ` + "`tilth curves show REGION`" + ` prints imported ones, for --curves.`,
		Example: "  tilth crop-check --series series.csv --declared Soy_Corn",
		RunE: func(*cobra.Command, []string) error {
			set, err := s.readCurves(curves)
			if err != nil {
				return err
			}
			file, err := os.Open(series)
			if err != nil {
				return err
			}
			defer file.Close()
			all, err := s.program.CurveFiles().ReadSeries(bufio.NewReader(file))
			if err != nil {
				return err
			}
			for _, one := range all {
				result := cropcheck.Check(cropcheck.Subject{Series: one.Series, Declared: declared}, set)
				if err := s.printVerdict(one.ID, result); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&series, "series", "", "CSV of series: id,date,ndvi[,evi]")
	c.Flags().StringSliceVar(&declared, "declared", nil, "class of the declared crop; of several, any will do")
	c.Flags().StringVar(&curves, "curves", "", "CSV of curves instead of those that Tilth comes with")
	return required(c, "series", "declared")
}

// The JSON of a verdict. Confidence is null where the verdict is pending.
type (
	verdictJSON struct {
		ID         string       `json:"id"`
		Verdict    string       `json:"verdict"`
		Confidence *float64     `json:"confidence"`
		Reason     string       `json:"reason"`
		Ranking    []rankedJSON `json:"ranking"`
	}
	rankedJSON struct {
		Class    string  `json:"class"`
		Distance float64 `json:"distance"`
	}
)

func (s *shell) printVerdict(id string, r cropcheck.Result) error {
	out := verdictJSON{ID: id, Verdict: string(r.Verdict), Reason: r.Text, Ranking: []rankedJSON{}}
	for _, c := range r.Ranking {
		out.Ranking = append(out.Ranking, rankedJSON{c.Class, c.Distance})
	}
	if r.Verdict != cropcheck.Pending {
		out.Confidence = &r.Confidence
	}
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
