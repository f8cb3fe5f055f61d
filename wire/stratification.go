package wire

import (
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
