package strata

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"regexp"
	"slices"

	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/ports"
)

// layersFolder is where the files of registered rasters lie among the objects.
const layersFolder = "layers/"

// Library keeps the rasters that the operator registers as layers. The shell is the authority.
type Library struct {
	Store   ports.Store
	Objects ports.Objects
	Rasters ports.RasterFiles
	Clock   ports.Clock
}

// layerName is what a layer may be called.
var layerName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// made are the names of layers that are made, not registered.
var made = []string{stratification.NDVIMean, stratification.NDVISD, Slope, Wetness, "coord_x", "coord_y"}

// NewLayer is a raster to be registered.
type NewLayer struct {
	Name          string
	File          string // its name, for people
	Content       ports.Object
	Scale, Offset float64 // value = number × Scale + Offset
}

// rasterNoted is a raster as the operator's trail tells of it.
type rasterNoted struct {
	File, Checksum string
	EPSG           int64
}

// Add registers a raster: its file is checked, kept among the objects, and from then on sampled
// for every order whose area it reaches.
// Faults: Invalid (name, scale; what the file is), Conflict (layer_exists), Unavailable.
func (l *Library) Add(ctx context.Context, in NewLayer) (ports.LayerRaster, error) {
	fields := fault.Fields{}
	if !layerName.MatchString(in.Name) {
		fields.Add("name", "A layer is named by 1 to 40 small letters, digits and underscores, the first a letter.")
	} else if slices.Contains(made, in.Name) {
		fields.Addf("name", "The layer %s is made by Tilth; choose another name.", in.Name)
	}
	if in.Scale == 0 || in.Scale-in.Scale != 0 || in.Offset-in.Offset != 0 { // NaN and infinity differ from themselves
		fields.Add("scale", "Scale and offset are finite numbers, and the scale is not 0.")
	}
	if err := fields.Err(); err != nil {
		return ports.LayerRaster{}, err
	}
	raster, err := l.Rasters.Inspect(ctx, in.Content, in.Content.Size(), in.File)
	if err != nil {
		return raster, err
	}
	raster.Name, raster.File, raster.Size, raster.AddedAt = in.Name, in.File, in.Content.Size(), l.Clock.Now()
	raster.Scale, raster.Offset = in.Scale, in.Offset
	if err := l.free(ctx, in.Name); err != nil {
		return raster, err // before anything is written
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(in.Content, 0, raster.Size)); err != nil {
		return raster, err
	}
	raster.Checksum = hex.EncodeToString(hash.Sum(nil))
	raster.Object = layersFolder + in.Name + "-" + raster.Checksum + ".tif"
	if _, err := l.Objects.Put(ctx, raster.Object, io.NewSectionReader(in.Content, 0, raster.Size)); err != nil {
		return raster, err
	}
	err = l.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.LayerRasters.Add(ctx, raster); err != nil {
			return err
		}
		return tx.Trail.Add(ctx, ports.OperatorEntry{
			At: raster.AddedAt, Action: audit.Create, Resource: "layer", Record: raster.Name,
			Changes: audit.Diff(nil, &rasterNoted{raster.File, raster.Checksum, int64(raster.EPSG)}),
		})
	})
	return raster, err
}

// free refuses a name that is taken.
func (l *Library) free(ctx context.Context, name string) error {
	all, err := l.List(ctx)
	if err == nil && slices.ContainsFunc(all, func(r ports.LayerRaster) bool { return r.Name == name }) {
		err = fault.Newf(fault.Conflict, "layer_exists", "There is a layer %s already; remove it first, or choose another name.", name)
	}
	return err
}

// List gives the registered rasters.
func (l *Library) List(ctx context.Context) (out []ports.LayerRaster, err error) {
	err = l.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		out, err = tx.LayerRasters.All(ctx)
		return err
	})
	return out, err
}

// Remove forgets a raster and its file. The layers of orders that used it stay. Faults: NotFound.
func (l *Library) Remove(ctx context.Context, name string) (ports.LayerRaster, error) {
	var gone ports.LayerRaster
	err := l.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		if gone, err = tx.LayerRasters.Remove(ctx, name); err != nil {
			return err
		}
		return tx.Trail.Add(ctx, ports.OperatorEntry{
			At: l.Clock.Now(), Action: audit.Delete, Resource: "layer", Record: name,
			Changes: audit.Diff(&rasterNoted{gone.File, gone.Checksum, int64(gone.EPSG)}, nil),
		})
	})
	if err != nil {
		return gone, err
	}
	return gone, l.Objects.Remove(ctx, gone.Object)
}
