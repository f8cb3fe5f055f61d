package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/core/cropcheck"
	"tilth/core/fault"
)

func (s *shell) curvesImport() *cobra.Command {
	var region, version, scope, extent string
	c := &cobra.Command{
		Use: "import FILE.csv", Short: "Store reference curves of a region and put them in force", Args: cobra.ExactArgs(1),
		Long: `Stores reference curves, as ` + "`tilth curves build`" + ` prints them, in the database. They are
in force for their region from then on and replace the previous ones; other regions keep
theirs. Versions are kept, and never changed. The built-in curves are those of the region
` + cropcheck.BuiltInRegion + `, until an import replaces them.`,
		Example: "  tilth curves import curves.csv --region cerrado --version 2026-1 --extent -60,-24,-41,-2 " +
			"--scope \"Sentinel-2, 2019 to 2025, 412 fields\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := s.readCurves(args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if set.Extent, err = parseExtent(extent); err != nil {
				return err
			}
			if scope != "" {
				set.Scope = scope
			}
			return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
				e, err := op.ImportCurves(ctx, region, version, set)
				if err != nil {
					return err
				}
				return s.printEdition(e)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&region, "region", "", "region to which the curves apply, in lower case")
	f.StringVar(&version, "version", "", "name of this version, such as 2026-1")
	f.StringVar(&scope, "scope", "", "what the curves were computed from; it is shown with every verdict")
	f.StringVar(&extent, "extent", "", "where they may be used: WEST,SOUTH,EAST,NORTH in degrees (default: not stated)")
	return required(c, "region", "version")
}

// parseExtent reads a box of degrees; nil for an empty text.
func parseExtent(text string) (*cropcheck.Extent, error) {
	if text == "" {
		return nil, nil
	}
	bad := fault.Field("extent", fmt.Sprintf("%q is not a box; write it as WEST,SOUTH,EAST,NORTH in degrees, such as -60,-24,-41,-2.", text))
	var degrees []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, bad
		}
		degrees = append(degrees, v)
	}
	if len(degrees) != 4 {
		return nil, bad
	}
	return &cropcheck.Extent{West: degrees[0], South: degrees[1], East: degrees[2], North: degrees[3]}, nil
}

func (s *shell) curvesShow() *cobra.Command {
	var builtIn bool
	c := &cobra.Command{
		Use: "show [REGION]", Short: "List the reference curves in force, or print those of a region as CSV", Args: cobra.MaximumNArgs(1),
		Long: `Lists the reference curves in force, one line per region. With a region, prints its curves as
CSV. With --built-in, prints the built-in curves, without a database.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if builtIn {
				set, err := s.program.CurveFiles().BuiltIn()
				if err != nil {
					return err
				}
				return s.program.CurveFiles().WriteCurves(s.Out, set)
			}
			return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
				all, err := op.CurvesInForce(ctx)
				if err != nil {
					return err
				}
				return s.showCurves(all, args)
			})
		},
	}
	c.Flags().BoolVar(&builtIn, "built-in", false, "print the built-in curves, without a database")
	return c
}

func (s *shell) showCurves(all []cropcheck.Edition, region []string) error {
	var regions []string
	for _, e := range all {
		if len(region) > 0 && e.Region == region[0] {
			return s.program.CurveFiles().WriteCurves(s.Out, e.Set)
		}
		regions = append(regions, e.Region)
	}
	if len(region) > 0 {
		return fault.Field("region", fmt.Sprintf("There are no curves for %q, only for %s.", region[0], strings.Join(regions, ", ")))
	}
	for _, e := range all {
		if err := s.printEdition(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *shell) printEdition(e cropcheck.Edition) error {
	var imported, extent any
	origin, classes := "built-in", e.Set.Classes()
	if !e.BuiltIn() {
		imported, origin = e.ImportedAt, "imported "+e.ImportedAt.Format(time.RFC3339)
	}
	if x := e.Set.Extent; x != nil {
		extent = []float64{x.West, x.South, x.East, x.North}
	}
	return s.print(record{
		{"region", e.Region}, {"version", e.Version}, {"built_in", e.BuiltIn()}, {"imported_at", imported},
		{"classes", classes}, {"scope", e.Set.Scope}, {"extent", extent},
	}, "%s, version %s, %s: %d curves (%s). %s", e.Region, e.Version, origin, len(classes), strings.Join(classes, ", "), e.Set.Scope)
}

// readCurves reads a file of curves; the built-in ones if path is empty.
func (s *shell) readCurves(path string) (cropcheck.Set, error) {
	if path == "" {
		return s.program.CurveFiles().BuiltIn()
	}
	return readFile(path, s.program.CurveFiles().ReadCurves)
}

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
		Long: `Computes curves from labelled series: for each class and 16 days the median and quartiles of
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
			set, err := cropcheck.Build(nil, labelled)
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
pending if that cannot be decided. It prints one JSON object per line, one for each id.

The built-in curves are of double-cropping systems of Mato Grosso, Brazil, observed at
250 m, and apply to no other region. docs/crop-check.md states their accuracy.

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
	c.Flags().StringSliceVar(&declared, "declared", nil, "class of the declared crop; if several are given, any of them matches")
	c.Flags().StringVar(&curves, "curves", "", "CSV of curves instead of the built-in ones")
	return required(c, "series", "declared")
}

func (s *shell) printVerdict(id string, r cropcheck.Result) error {
	var confidence any // null where the verdict is pending
	if r.Verdict != cropcheck.Pending {
		confidence = r.Confidence
	}
	ranking := each(r.Ranking, func(c cropcheck.Ranked) record {
		return record{{"class", c.Class}, {"distance", c.Distance}, {"shape", c.Shape}, {"within", c.Within()}}
	})
	var resembles any // null where that is not known
	if r.Resembles != "" {
		resembles = r.Resembles
	}
	return s.printJSON(record{
		{"id", id}, {"verdict", r.Verdict}, {"confidence", confidence}, {"resembles", resembles}, {"reason", r.Text}, {"ranking", ranking},
	})
}
