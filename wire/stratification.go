package wire

import (
	"context"
	"time"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/objects"
	"tilth/app/soil"
	"tilth/ports"
)

// newLibrary makes the use cases of registered rasters over a database and the store of files.
func newLibrary(cfg cli.Config, store ports.Store) (*soil.LayerLibrary, error) {
	files, err := objects.Open(cfg.ObjectsURL)
	if err != nil {
		return nil, err
	}
	return &soil.LayerLibrary{Store: store, Objects: files, Rasters: surfaces.Stored{Objects: files}, Clock: identity.Clock{}}, nil
}

// sweepEvery is how often orders are looked for whose preparation takes too long.
const sweepEvery = time.Minute

// sweep fails such orders, at once and then from time to time.
func (r *Running) sweep(ctx context.Context) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if n, err := r.parts.Strata.Sweep(ctx); err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "stratification orders could not be swept", "error", err)
		} else if n > 0 {
			r.log.WarnContext(ctx, "stratification orders took too long and have failed", "orders", n)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
