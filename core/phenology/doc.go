// Package phenology says what the series of a field means for its crop: a line through the observations with a band of
// uncertainty, and on it the growing cycles with their start, peak and end. It reads series, and knows no imagery, no crop
// and no order; docs/phenology.md has every definition with its source.
package phenology
