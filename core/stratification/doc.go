// Package stratification divides an area of interest into zones that are alike inside, for
// soil sampling: a grid over the fields (Frame), covariates on its cells (Layer), zones of
// like cells for several numbers of zones (Zones), and the number that is recommended; then
// the places to sample in them (NewPlan, Customise), and what the samples say (MeanOf, Difference).
//
// Everything is deterministic: the same frame, layers and Params, the seed among them, give
// the same bytes on any machine and on any number of workers. Cells are worked on in row
// order and sums are taken in that order. Products in distances are converted to float64
// explicitly, for a compiler may otherwise fuse a multiplication with an addition (Go
// specification, "Floating-point operators"), which rounds differently between machines.
package stratification

// AlgorithmVersion names the rules by which zones are made. A change that moves a single
// cell of any map needs a new one: maps of an older version are never made again under
// their id.
const AlgorithmVersion = "zones-1"
