// Package frame holds the grid over an area of interest: its cells, the mask along the edges,
// the neighbours of cells, and the outlines of zones on it. It knows no layer and makes no zones.
package frame
