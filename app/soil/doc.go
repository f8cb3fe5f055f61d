// Package soil holds the use cases of soil sampling: areas of interest, orders and the layers
// prepared for them, maps of zones, sample plans, samples with their results and estimates, and
// package offline, the same pipeline over files without a database.
//
// How zones are drawn and points are placed are rules of core/stratification. Imagery, rasters and
// file formats are behind ports.
package soil
