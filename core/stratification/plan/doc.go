// Package plan says where to sample a map of zones: how many samples, in which zone, at which
// places, in which order, and what changes by hand make of a plan. It knows no sample that was
// taken.
package plan
