package cli

import (
	"io"

	"github.com/spf13/cobra"

	"tilth/core/cropcheck"
)

// CurveFiles reads and writes the files of crop verification.
type CurveFiles interface {
	// BuiltIn returns the built-in curves.
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
	return group("curves", "Reference curves of crops, for crop-check", s.curvesBuild(), s.curvesImport(), s.curvesShow())
}

func (s *shell) curvesBuild() *cobra.Command {
	var samples, series string
	c := &cobra.Command{
		Use: "build", Short: "Compute curves from labelled series, and print them as CSV",
		Long: `Computes curves from labelled series: per class and 16 days the median and quartiles of
NDVI and the median of EVI. --samples is a CSV id,label,start_date, where start_date is
the first day of the sample's growing year; --series is a CSV id,date,ndvi[,evi].`,
		Example: "  tilth curves build --samples samples.csv --series series.csv > curves.csv",
		RunE: func(*cobra.Command, []string) error {
			labelled, err := readFile(samples, func(labels io.Reader) ([]cropcheck.Sample, error) {
				return readFile(series, func(values io.Reader) ([]cropcheck.Sample, error) {
					return s.program.CurveFiles().ReadSamples(labels, values)
				})
			})
			if err != nil {
				return err
			}
			set, err := cropcheck.Build(labelled)
			if err != nil {
				return err
			}
			return s.program.CurveFiles().WriteCurves(s.Out, set)
		},
	}
	c.Flags().StringVar(&samples, "samples", "", "CSV of samples: id,label,start_date")
	c.Flags().StringVar(&series, "series", "", "CSV of their series: id,date,ndvi[,evi]")
	return required(c, "samples", "series")
}

func (s *shell) cropCheck() *cobra.Command {
	var series, curves string
	var declared []string
	c := &cobra.Command{
		Use: "crop-check", Short: "Check whether a declared crop may have grown, from the series of its season",
		Long: `Compares series with reference curves by time-weighted dynamic time warping, and prints
for each whether the declared crop may be the one that grew: verified, failed, or
pending if that cannot be decided. It prints a JSON object a line, one for each id.

The built-in curves are of double-cropping systems of Mato Grosso, Brazil, observed at
250 m, and hold for no other region. docs/crop-check.md states their accuracy.

The command uses no database: without --curves it uses the built-in curves, whatever
was imported. ` + "`tilth curves show REGION`" + ` prints imported ones, for --curves.`,
		Example: "  tilth crop-check --series series.csv --declared Soy_Corn",
		RunE: func(*cobra.Command, []string) error {
			set, err := s.readCurves(curves)
			if err != nil {
				return err
			}
			all, err := readFile(series, s.program.CurveFiles().ReadSeries)
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
	c.Flags().StringSliceVar(&declared, "declared", nil, "class of the declared crop; of several, any matches")
	c.Flags().StringVar(&curves, "curves", "", "CSV of curves instead of the built-in ones")
	return required(c, "series", "declared")
}

func (s *shell) printVerdict(id string, r cropcheck.Result) error {
	var confidence any // null where the verdict is pending
	if r.Verdict != cropcheck.Pending {
		confidence = r.Confidence
	}
	ranking := each(r.Ranking, func(c cropcheck.Ranked) record { return record{{"class", c.Class}, {"distance", c.Distance}} })
	return s.printJSON(record{{"id", id}, {"verdict", r.Verdict}, {"confidence", confidence}, {"reason", r.Text}, {"ranking", ranking}})
}
