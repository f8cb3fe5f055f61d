package ports

import (
	"context"
	"io"
	"time"

	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
)

// AOIs are the areas of interest of a company.
type AOIs interface {
	Records[stratification.AOI]
	// IDOf returns the id of an area of interest by its uuid, deleted or not. Faults: NotFound.
	IDOf(ctx context.Context, scope access.Scope, uuid string) (int64, error)
}

// StratificationOrders are stratification orders with their layers, except those of a deleted area of interest.
type StratificationOrders interface {
	// Each leaves the land out and is in order of id; the filters are aoi and external_id.
	List[stratification.OrderState, Query]
	// GetForUpdate also returns an order whose area of interest is deleted: money is settled all the same.
	Lockable[stratification.OrderState]
	Keyed
	// Latest returns the latest order of an area of interest that is not failed, without its land: of a map type, or
	// of any where it is empty. Faults: NotFound.
	Latest(ctx context.Context, scope access.Scope, aoiID int64, mapType string) (stratification.OrderState, error)
	// OpenOf returns the ids of the open orders of an area of interest.
	OpenOf(ctx context.Context, scope access.Scope, aoiID int64) ([]int64, error)
	// Insert stores a new order and fills in its id. Faults: Conflict (order_exists) where an unfinished one exists.
	Insert(ctx context.Context, scope access.Scope, order *stratification.OrderState) error
	// Update stores an order, except its land and charge. Faults: NotFound; Conflict (order_exists) as Insert.
	Update(ctx context.Context, scope access.Scope, order stratification.OrderState) error
	// PutLayers replaces the layers of an order.
	PutLayers(ctx context.Context, scope access.Scope, orderID int64, layers []layer.PreparedLayer) error
	// Layers returns the layers of an order in their order, with their values where wanted. Faults: NotFound.
	Layers(ctx context.Context, scope access.Scope, orderID int64, values bool) ([]layer.PreparedLayer, error)
}

// OrderKeeper finds stratification orders of all companies, for the operator and the sweeper.
type OrderKeeper interface {
	// CompanyOf returns the company of an order. Faults: NotFound.
	CompanyOf(ctx context.Context, orderID int64) (int64, error)
	// Overdue returns up to limit orders in preparation since before a time, the oldest first.
	Overdue(ctx context.Context, since time.Time, limit int) ([]OverdueOrder, error)
}

// OverdueOrder is an order whose preparation takes too long.
type OverdueOrder struct{ ID, CompanyID int64 }

// LayerRaster is a raster that the operator registered as a layer.
type LayerRaster struct {
	Name     string // of the layer
	Object   string // where the file is stored among the objects
	File     string // its name when it was registered
	Checksum string // SHA-256 of the file, in hexadecimal
	Size     int64  // bytes
	EPSG     int
	CellSize float64 // width of a pixel in metres
	// Scale and Offset turn the file's numbers to values: number × Scale + Offset.
	Scale, Offset float64
	Cols          int
	Rows          int
	AddedAt       time.Time

	Description string
	CompanyID   int64 // the only company whose orders may use it; 0: every company
	// Coarse: it comes from a far coarser map than its pixels suggest.
	Coarse bool
	// Classes: its numbers name classes, such as types of soil.
	Classes bool
}

// LayerRasters are the rasters that the operator registered.
type LayerRasters interface {
	// All returns them by name.
	All(ctx context.Context) ([]LayerRaster, error)
	// Of returns those that a company may use, by name: its own, and those of every company.
	Of(ctx context.Context, scope access.Scope) ([]LayerRaster, error)
	// Add registers one. Faults: Conflict (layer_exists) where the name is taken.
	Add(ctx context.Context, r LayerRaster) error
	// Remove removes one and returns it. Faults: NotFound.
	Remove(ctx context.Context, name string) (LayerRaster, error)
}

// RasterFiles reads rasters of covariates that are stored among the objects.
type RasterFiles interface {
	// Surface returns the part of a raster around a geometry (WGS84). Faults name its file as the user did.
	Surface(ctx context.Context, of LayerRaster, around geo.MultiPolygon) (layer.Surface, error)
	// Reaches reports whether a raster has pixels around a geometry (WGS84). Faults: as Surface.
	Reaches(ctx context.Context, of LayerRaster, around geo.MultiPolygon) (bool, error)
	// Inspect returns the georeference of a file. Faults: Invalid for one that Surface cannot read.
	Inspect(ctx context.Context, file io.ReaderAt, size int64, name string) (LayerRaster, error)
}
