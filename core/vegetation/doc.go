// Package vegetation holds the rules that turn Sentinel-2 scenes into the vegetation-index profile
// of a field, and the order for one: the indices and their formulas, cloud masks, which pixels
// belong to a field, which scenes are the same acquisition, how the scenes of a pass are merged, and
// when a date enters the profile.
//
// It works on rasters in memory. It reads no files, searches no catalogs and draws nothing. A
// profile holds observations only; its smoothed line is separate.
package vegetation
