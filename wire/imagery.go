package wire

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tilth/adapters/cli"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/stac"
	"tilth/adapters/imagery/synthetic"
	"tilth/app/demo"
	"tilth/core/fault"
	"tilth/ports"
)

// openImagery chooses the imagery source by its address: a folder with a static
// catalog, a STAC API, or, where there is none, the open API.
func openImagery(cfg cli.Config, log *slog.Logger) (ports.Imagery, error) {
	address := cfg.ImageryURL
	if address == "" {
		address = cli.DefaultSTAC
	}
	switch {
	case strings.HasPrefix(address, "https://"), strings.HasPrefix(address, "http://"):
		return stac.New(address, stac.Options{})
	case strings.Contains(address, "://") && !strings.HasPrefix(address, "file://"):
		return nil, fault.Newf(fault.Invalid, "imagery_url", "%q is neither a folder nor an http(s) address.", address)
	default:
		return catalog.Open(strings.TrimPrefix(address, "file://"), catalog.WithLog(log))
	}
}

// elevationsOf returns the elevation models of an imagery source; nil where it cannot hold any.
func elevationsOf(source ports.Imagery) ports.Elevations {
	elevations, _ := source.(ports.Elevations)
	return elevations
}

// makeDemo makes the synthetic archive, where it is not there yet, and says what of it
// to load.
func makeDemo(ctx context.Context, dir string) (demo.Plan, error) {
	archive, err := synthetic.Make(ctx, dir, synthetic.Options{})
	if err != nil {
		return demo.Plan{}, err
	}
	plan := demo.Plan{From: archive.From, To: archive.To}
	for _, p := range archive.Parcels {
		if p.Name != synthetic.WalkField {
			plan.Parcels = append(plan.Parcels, demo.Parcel{Name: p.Name, CropSlug: p.Crop, Boundary: p.Boundary})
		}
	}
	return plan, nil
}

// imageryTimeout bounds how long `tilth doctor` waits for an imagery source.
const imageryTimeout = 15 * time.Second
