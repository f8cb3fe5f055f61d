package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/app/soil/library"
	"tilth/core/access"
	"tilth/core/stratification"
	"tilth/ports"
)

func (s *shell) subscription() *cobra.Command {
	var company int64
	var service, until string
	grant := &cobra.Command{
		Use: "grant", Short: "Subscribe a company to a service; replaces its subscription",
		Example: "  tilth subscription grant --company 1 --service stratification --until 2027-12-31",
		RunE: func(cmd *cobra.Command, _ []string) error {
			last, err := optionalDay("until", until)
			if err != nil {
				return err
			}
			return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
				granted, err := op.Subscribe(ctx, company, access.Service(service), last)
				return s.answer(err, subscriptionOf(granted), "company %d is subscribed to %s, %s", company, service, untilOf(granted))
			})
		},
	}
	revoke := &cobra.Command{
		Use: "revoke", Short: "End a company's subscription at once; what it has paid for stays readable",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			err := op.Unsubscribe(ctx, company, access.Service(service))
			return s.answer(err, record{{"company", company}, {"service", service}}, "company %d is no longer subscribed to %s", company, service)
		}),
	}
	for _, c := range []*cobra.Command{grant, revoke} {
		c.Flags().Int64Var(&company, "company", 0, "id of the company")
		c.Flags().StringVar(&service, "service", "", string(access.Stratification))
	}
	grant.Flags().StringVar(&until, "until", "", "last day, YYYY-MM-DD, UTC (default: no end date)")
	return group("subscription", "What the companies subscribe to", s.listSubscriptions(), required(grant, "company", "service"), required(revoke, "company", "service"))
}

func (s *shell) stratification() *cobra.Command {
	var order int64
	retry := &cobra.Command{
		Use: "retry", Short: "Retry a failed stratification order",
		Long: fmt.Sprintf("Retries a failed stratification order: its charge is held again and its layers are\n"+
			"prepared in the background. An order is retried at most %d times.", stratification.MaxRetries),
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			o, err := op.RetryStratification(ctx, order)
			return s.answer(err, record{{"company", o.CompanyID}, {"order", o.ID}, {"retries", o.Retries}, {"status", o.Status}},
				"order %d of company %d is %s, retry %d of %d", o.ID, o.CompanyID, o.Status, o.Retries, stratification.MaxRetries)
		}),
	}
	retry.Flags().Int64Var(&order, "order", 0, "id of the order")
	return group("stratification", "Stratification orders", required(retry, "order"))
}

// printLayer prints a registered raster, unless the use case that returned it failed.
func (s *shell) printLayer(err error, what string, r ports.LayerRaster) error {
	out := record{
		{"name", r.Name}, {"file", r.File}, {"checksum", r.Checksum}, {"size", r.Size}, {"epsg", r.EPSG}, {"cell_size", r.CellSize},
		{"columns", r.Cols}, {"rows", r.Rows}, {"scale", r.Scale}, {"offset", r.Offset}, {"added_at", r.AddedAt}, {"description", r.Description},
	}
	if r.CompanyID != 0 {
		out = append(out, member{"company", r.CompanyID})
	}
	return s.answer(err, append(out, member{"coarse", r.Coarse}, member{"classes", r.Classes}),
		"%s%-16s %s, EPSG:%d, %d × %d pixels of %g m, sha256 %.12s", what, r.Name, r.File, r.EPSG, r.Cols, r.Rows, r.CellSize, r.Checksum)
}

func (s *shell) layer() *cobra.Command {
	var file string
	in := library.New{Scale: 1}
	add := &cobra.Command{
		Use: "add", Short: "Register a raster as a layer of stratification orders",
		Long: `Registers a GeoTIFF of one band of numbers (integers of up to 32 bits, floating point numbers)
in EPSG:4326, 3857, 3035 (LAEA Europe), 27700 (Great Britain), 28992 (Netherlands) or a UTM
zone of WGS84, ETRS89, NAD83, GDA94 or GDA2020. It is copied to the store of files, and sampled
for every order placed from then on whose area it overlaps: those of every company, or
with --company only those of that one. Pixels finer than a cell are averaged by their areas in it. Values are what GDAL reads from the file, times --scale plus --offset.

A raster named "elevation", in metres, replaces the elevation model of the imagery source;
slope and topographic wetness are derived from it. --coarse marks a raster that was resampled
from a much coarser map, such as one of few soil samples; --classes one whose numbers are names
(types of soil): a cell takes the one with the largest area, and none is interpolated.`,
		Example: "  tilth layer add --name clay_0_30 --file clay.tif --description \"SoilGrids 2.0, g/kg\" --coarse\n" +
			"  tilth layer add --name elevation --file lidar.tif --company 3",
		RunE: func(cmd *cobra.Command, _ []string) error {
			opened, err := openObject(file)
			if err != nil {
				return err
			}
			defer opened.Close()
			in.File, in.Content = filepath.Base(file), opened
			return s.withLayers(cmd, func(ctx context.Context, l *library.Layers) error {
				added, err := l.Add(ctx, in)
				return s.printLayer(err, "registered ", added)
			})
		},
	}
	f := add.Flags()
	f.StringVar(&in.Name, "name", "", "name of the layer: lower-case letters, digits and underscores")
	f.StringVar(&file, "file", "", "the GeoTIFF")
	f.Float64Var(&in.Scale, "scale", 1, "factor by which the file's numbers are multiplied")
	f.Float64Var(&in.Offset, "offset", 0, "added after the multiplication")
	f.StringVar(&in.Description, "description", "", "what it shows, its unit and its source")
	f.Int64Var(&in.CompanyID, "company", 0, "id of the only company whose orders use it (default: every company)")
	f.BoolVar(&in.Coarse, "coarse", false, "it was resampled from a much coarser map")
	f.BoolVar(&in.Classes, "classes", false, "its numbers name classes")
	list := &cobra.Command{Use: "list", Short: "List the registered rasters", RunE: func(cmd *cobra.Command, _ []string) error {
		return s.withLayers(cmd, func(ctx context.Context, l *library.Layers) error {
			all, err := l.List(ctx)
			for _, r := range all {
				if err := s.printLayer(nil, "", r); err != nil {
					return err
				}
			}
			return err
		})
	}}
	var name string
	remove := &cobra.Command{Use: "remove", Short: "Unregister a raster; the layers of earlier orders stay"}
	remove.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.withLayers(cmd, func(ctx context.Context, l *library.Layers) error {
			gone, err := l.Remove(ctx, name)
			return s.printLayer(err, "removed ", gone)
		})
	}
	remove.Flags().StringVar(&name, "name", "", "name of the layer")
	return group("layer", "Rasters of relief and soil, as layers of stratification orders",
		required(add, "name", "file"), list, required(remove, "name"))
}

func (s *shell) withLayers(cmd *cobra.Command, do func(ctx context.Context, l *library.Layers) error) error {
	return s.withFiles(cmd, func(ctx context.Context, o *Opened) error { return do(ctx, o.Layers) })
}

// withFiles runs a function on the open database, with the store of files that belongs to it.
func (s *shell) withFiles(cmd *cobra.Command, do func(ctx context.Context, o *Opened) error) error {
	return s.opened(cmd, func(ctx context.Context, o *Opened) error {
		if err := o.Operating.HoldFiles(ctx, o.Files); err != nil {
			return err
		}
		return do(ctx, o)
	})
}
