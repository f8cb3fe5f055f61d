package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tilth/app/soil/offline"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/layer"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

var stratifyFormats = []string{"json", "geojson"}

// stratifyFlags are the choices of `tilth stratify`, in the request where it takes them as they are.
type stratifyFlags struct {
	req                     offline.Request
	plan                    soilplan.Params
	cells, boundary, format string
	start, end              string
	weights                 []string
	zones                   int
	labels                  bool
	seed                    uint64
}

func (s *shell) stratify() *cobra.Command {
	var f stratifyFlags
	c := &cobra.Command{
		Use: "stratify", Short: "Divide a field into zones for soil sampling and place samples in them, without a database",
		Long: `Divides a field into homogeneous zones, for every number of zones that the area has
room for, and recommends a number. Input is a table of cells (--cells) or
rasters (--raster); the same input and seed give the same zones on any machine.

A table is a CSV with a line for each cell: row and col, or x and y (easting and northing
in metres of the UTM zone --epsg), or all four, and a column for each layer. Values may be
missing. Rasters are GeoTIFFs of one band of numbers in the systems of "tilth layer add"; a layer has
the name of its file. Without --boundary, the cells (or the pixels with a value of the
first raster) are the area.

With --samples, --offset, --placement or --start the output also has a sample plan of the
recommended zones (or of --zones): points drawn at random in each zone, in the order of a short
walk, with reserve points.`,
		Example: `  tilth stratify --cells field.csv --layers ec,elevation --cell-size 10 --zones 3
  tilth stratify --cells field.csv --epsg 32720 --format geojson > zones.geojson
  tilth stratify --cells field.csv --epsg 32720 --zones 3 --samples 24 --offset 15 --placement spatially_balanced
  tilth stratify --raster ndvi.tif,elevation.tif --boundary field.geojson --weights elevation=0.5`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req, err := s.stratifyRequest(f, cmd.Flags())
			if err != nil {
				return err
			}
			answer, err := s.program.Zoning().Make(cmd.Context(), req)
			if err != nil {
				return err
			}
			if f.format == "geojson" {
				return writeZonesGeoJSON(s.Out, answer)
			}
			return writeZonesJSON(s.Out, answer, f.labels)
		},
	}
	f.register(c.Flags())
	return c
}

func (f *stratifyFlags) register(flags *pflag.FlagSet) {
	f.req.Params, f.plan = zoning.DefaultParams(), soilplan.DefaultParams()
	req, zones := &f.req, &f.req.Params
	placements := each(soilplan.Placements, func(p soilplan.Placement) string { return string(p) })
	flags.StringVar(&f.cells, "cells", "", "CSV of cells: row,col or x,y and a column for each layer")
	flags.StringSliceVar(&req.Rasters, "raster", nil, "GeoTIFF files instead of a table, one for each layer")
	flags.StringSliceVar(&req.Layers, "layers", nil, "layers to use (default: all)")
	flags.StringSliceVar(&req.Classes, "classes", nil, "rasters whose numbers name classes, which have no mean")
	flags.Float64Var(&req.CellSize, "cell-size", 0, "width of a cell in metres (default: the distance between the cells, or depending on the area)")
	flags.IntVar(&req.EPSG, "epsg", 0, "EPSG code of the UTM zone of the cells, such as 32720")
	flags.StringSliceVar(&f.weights, "weights", nil, "weights of layers, as clay=1,slope=0.5")
	flags.Float64Var(&zones.SpatialWeight, "spatial-weight", zones.SpatialWeight, "weight of the location: more makes zones more compact")
	flags.IntVar(&req.EdgeMask, "edge-mask", 1, "cells along the edge that only follow their neighbours")
	flags.Float64Var(&zones.MinZoneAreaHa, "min-zone-area", 0, "smallest part of a zone in hectares (default: depending on the area, 0.25 to 2)")
	flags.StringVar(&f.boundary, "boundary", "", "GeoJSON file of the outline")
	flags.IntVar(&f.zones, "zones", 0, "number of zones (default: the recommended one)")
	flags.IntVar(&zones.MinZones, "min-zones", zones.MinZones, "smallest number of zones to try")
	flags.IntVar(&zones.MaxZones, "max-zones", 0, "largest number of zones to try (default: depending on the area, at most 8)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the random numbers, an integer (default: from the other parameters)")
	flags.StringVar(&req.Seed.Phrase, "seed-phrase", "", "a line that a second person chose, whose hash is the seed")
	flags.BoolVar(&f.labels, "labels", false, "add the zone of every cell to the JSON")
	flags.Float64Var(&zones.CV, "cv", zones.CV, "expected coefficient of variation of what is sampled")
	flags.Float64Var(&zones.Rho2, "rho2", zones.Rho2, "share of its variance that the layers can explain, 0 to 1")
	flags.IntVar(&f.plan.Samples, "samples", 0, "make a sample plan of that many points (0: as many as the precision requires)")
	sees := &f.plan.Monitoring
	flags.Float64Var(&sees.Change, "detectable-change", 0, "make a sample plan whose second round detects that change of the mean, t C/ha (0: the plan states what it detects)")
	flags.Float64Var(&sees.Power, "power", sees.Power, "probability that the change is detected")
	flags.Float64Var(&sees.Years, "years", sees.Years, "years between the rounds")
	flags.Float64Var(&sees.SD, "sd-of-change", 0, "standard deviation of the changes at points, t C/ha (0: from cv, --mean-stock and --correlation)")
	flags.Float64Var(&sees.Correlation, "correlation", sees.Correlation, "correlation of the two rounds at the same points")
	flags.Float64Var(&sees.Mean, "mean-stock", sees.Mean, "expected stock, t C/ha")
	flags.IntVar(&f.plan.ZoneOffset, "offset", f.plan.ZoneOffset, "make a sample plan whose points keep that many metres from the edges of zones and fields")
	flags.StringVar((*string)(&f.plan.Edge), "edge", string(f.plan.Edge), "the strip within the offset: exclude, or stratum (sampled as a stratum of its own)")
	flags.StringVar((*string)(&f.plan.Placement), "placement", string(f.plan.Placement), "make a sample plan placed by "+strings.Join(placements, ", "))
	flags.IntVar(&f.plan.CompositesPerZone, "composites", 0, "pool the samples of each zone into that many composites for the laboratory, 2 or more (0: none)")
	flags.StringVar(&f.start, "start", "", "longitude,latitude where the crew of the sample plan comes from: the way begins at the nearest point")
	flags.StringVar(&f.end, "end", "", "longitude,latitude where the crew goes afterwards; needs --start")
	flags.StringVar(&f.format, "format", "json", strings.Join(stratifyFormats, ", "))
}

// stratifyRequest returns the request of the flags.
func (s *shell) stratifyRequest(f stratifyFlags, set *pflag.FlagSet) (offline.Request, error) {
	req := f.req
	if set.Changed("seed") {
		req.Seed.Number = &f.seed
	}
	if err := oneOf(f.format, stratifyFormats); err != nil {
		return req, err
	}
	switch {
	case (f.cells == "") == (len(req.Rasters) == 0):
		return req, usageError{fmt.Errorf("`tilth stratify` needs --cells or --raster, and not both")}
	case set.Changed("zones") && (set.Changed("min-zones") || set.Changed("max-zones")):
		return req, usageError{fmt.Errorf("--zones is one number of zones; --min-zones and --max-zones are a range")}
	}
	var err error
	if req.Start, err = readPlace("start", f.start); err != nil {
		return req, err
	}
	if req.End, err = readPlace("end", f.end); err != nil {
		return req, err
	}
	if set.Changed("start") || set.Changed("end") || set.Changed("samples") || set.Changed("detectable-change") || set.Changed("offset") || set.Changed("placement") {
		req.Plan = &f.plan
	}
	if set.Changed("zones") {
		if f.zones < 2 || f.zones > zoning.MaxZones {
			return req, fault.Field("zones", fmt.Sprintf("It must be a whole number from 2 to %d.", zoning.MaxZones))
		}
		req.Params.MinZones, req.Params.MaxZones = f.zones, f.zones
	}
	if req.Params.Weights, err = readWeights(f.weights); err != nil {
		return req, err
	}
	if f.boundary != "" {
		if req.Boundary, err = readOutline("boundary", f.boundary); err != nil {
			return req, err
		}
	}
	if f.cells == "" {
		return req, nil
	}
	table, err := readFile(f.cells, func(r io.Reader) (layer.Table, error) {
		return s.program.ReadCells(io.LimitReader(r, maxCellsFile), req.Layers)
	})
	req.Table = &table
	return req, err
}

// readPlace reads longitude,latitude; nil for an empty text.
func readPlace(flag, text string) (*geo.Position, error) {
	if text == "" {
		return nil, nil
	}
	first, second, ok := strings.Cut(text, ",")
	lon, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	lat, also := strconv.ParseFloat(strings.TrimSpace(second), 64)
	if !ok || err != nil || also != nil {
		return nil, fault.Field(flag, fmt.Sprintf("%q is not a place; write longitude and latitude in degrees, as 4.25,52.08.", text))
	}
	return &geo.Position{X: lon, Y: lat}, nil
}

// readWeights reads layer=weight.
func readWeights(list []string) (map[string]float64, error) {
	weights := map[string]float64{}
	for _, item := range list {
		name, text, ok := strings.Cut(item, "=")
		v, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return nil, fault.Field("weights", fmt.Sprintf("%q is not a weight; write it as clay=0.5.", item))
		}
		if _, twice := weights[name]; twice {
			return nil, fault.Field("weights", fmt.Sprintf("The weight of %s is given twice.", name))
		}
		weights[name] = v
	}
	return weights, nil
}
