// Package zoning divides the cells of a frame into zones of like cells: it prepares the
// layers, clusters for several numbers of zones, cleans the maps, describes them and recommends
// one. It reads no raster and places no samples.
//
// Everything is deterministic: the same frame, layers and Params, the seed among them, yield
// the same bytes on any machine and on any number of workers. Cells are processed in row
// order and sums are taken in that order. Products in distances are converted to float64
// explicitly, because a compiler may otherwise fuse a multiplication with an addition (Go
// specification, "Floating-point operators"), which rounds differently between machines.
package zoning

// AlgorithmVersion names the rules by which zones are made. A change that moves a cell of any map
// needs a new version: an id stands for the same map for good.
const AlgorithmVersion = "zones-2"
