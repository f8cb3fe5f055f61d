// Package layer holds the covariates on the cells of a frame: sampled from rasters, derived from
// elevation models and NDVI, read from tables of cells, and prepared for an order.
package layer
