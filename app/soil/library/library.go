// Package library keeps the rasters that the operator registers as layers.
package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"unicode/utf8"

	"tilth/app"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// layersFolder is the folder of the registered rasters' files among the objects.
const layersFolder = "layers/"

// Layers keeps the rasters that the operator registers as layers. Access to the shell is the authority.
type Layers struct {
	Store   ports.Store
	Objects ports.Objects
	Rasters ports.RasterFiles
	Clock   ports.Clock
}

// The bounds of what is registered.
const (
	maxLayerBytes = 8 << 30
	maxLayerText  = 500 // characters of a description
)

// New is a raster to be registered.
type New struct {
	Name          string
	File          string // the file's name, for people
	Content       ports.Object
	Scale, Offset float64 // value = number × Scale + Offset
	Description   string
	CompanyID     int64 // the company whose orders alone may use it; 0: every company's
	Coarse        bool  // it comes from a far coarser map than its pixels suggest
	Classes       bool  // its numbers stand for classes
}

func (in New) check() error {
	fields := fault.Fields{}
	if wrong := layer.WrongLayerName(in.Name); wrong != "" {
		fields.Add("name", wrong)
	}
	if in.Scale == 0 || in.Scale-in.Scale != 0 || in.Offset-in.Offset != 0 { // NaN and infinity differ from themselves
		fields.Add("scale", "Scale and offset are finite numbers, and the scale is not 0.")
	}
	fields.AddIf(in.Classes && in.Name == layer.Elevation, "classes", "Heights are not classes.")
	if utf8.RuneCountInString(in.Description) > maxLayerText {
		fields.Addf("description", "At most %d characters.", maxLayerText)
	}
	if in.CompanyID < 0 {
		fields.Add("company", "The id of a company, or none.")
	}
	if size := in.Content.Size(); size > maxLayerBytes {
		fields.Addf("file", "The file has %d bytes; at most %d are taken. Cut it to where it is needed, or compress it.", size, int64(maxLayerBytes))
	}
	return fields.Err()
}

// auditedRaster is the form in which the operator's trail records a raster.
type auditedRaster struct {
	File, Checksum, Description string
	EPSG, Company               int64
	Coarse, Classes             bool
}

func auditedRasterOf(r ports.LayerRaster) *auditedRaster {
	return &auditedRaster{r.File, r.Checksum, r.Description, int64(r.EPSG), r.CompanyID, r.Coarse, r.Classes}
}

// Add registers a raster: its file is checked and kept among the objects, and from then on sampled for every order
// whose area it reaches. Faults: Invalid (name, scale, size; what the file is), NotFound (company), Conflict
// (layer_exists), Unavailable.
func (l *Layers) Add(ctx context.Context, in New) (ports.LayerRaster, error) {
	if err := in.check(); err != nil {
		return ports.LayerRaster{}, err
	}
	raster, err := l.Rasters.Inspect(ctx, in.Content, in.Content.Size(), in.File)
	if err != nil {
		return raster, err
	}
	raster.Name, raster.File, raster.Size, raster.AddedAt = in.Name, in.File, in.Content.Size(), l.Clock.Now()
	raster.Scale, raster.Offset = in.Scale, in.Offset
	raster.Description, raster.CompanyID, raster.Coarse, raster.Classes = in.Description, in.CompanyID, in.Coarse, in.Classes
	all, err := l.List(ctx)
	if err == nil && slices.ContainsFunc(all, func(r ports.LayerRaster) bool { return r.Name == in.Name }) {
		err = fault.Newf(fault.Conflict, "layer_exists", "There is already a layer %s; remove it first, or choose another name.", in.Name)
	}
	if err != nil {
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
		if raster.CompanyID != 0 {
			if _, err := tx.Accounts.Company(ctx, raster.CompanyID); err != nil {
				return err
			}
		}
		if err := tx.LayerRasters.Add(ctx, raster); err != nil {
			return err
		}
		changes := audit.Diff(nil, auditedRasterOf(raster))
		return tx.Trail.Add(ctx, ports.OperatorEntry{At: raster.AddedAt, Action: audit.Create, Resource: "layer", Record: raster.Name, Changes: changes})
	})
	return raster, err
}

// List returns the registered rasters.
func (l *Layers) List(ctx context.Context) (out []ports.LayerRaster, err error) {
	return app.In(ctx, l.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]ports.LayerRaster, error) {
		return tx.LayerRasters.All(ctx)
	})
}

// Remove removes a raster and its file. The layers of orders that used it stay. Faults: NotFound.
func (l *Layers) Remove(ctx context.Context, name string) (ports.LayerRaster, error) {
	gone, err := app.In(ctx, l.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (gone ports.LayerRaster, err error) {
		if gone, err = tx.LayerRasters.Remove(ctx, name); err != nil {
			return gone, err
		}
		changes := audit.Diff(auditedRasterOf(gone), nil)
		return gone, tx.Trail.Add(ctx, ports.OperatorEntry{At: l.Clock.Now(), Action: audit.Delete, Resource: "layer", Record: name, Changes: changes})
	})
	if err != nil {
		return gone, err
	}
	return gone, l.Objects.Remove(ctx, gone.Object)
}
