// Package vegetation holds the rules that turn Sentinel-2 scenes into the vegetation-index
// profile of a field, and the order that asks for one: the indices and their formulas,
// cloud masks, which pixels belong to a field, which scenes are the same acquisition,
// how the scenes of one pass are merged, and when a date is good enough to enter.
//
// It works on rasters in memory. It reads no files, searches no catalogs and draws
// nothing. A profile holds what was observed, and nothing else; its smoothed line is
// given apart.
package vegetation
