// Package plan plans the samples of a map of zones: how many, in which zone, at which places and in
// which order, and changes of a plan by hand. It knows no sample that was taken.
package plan
