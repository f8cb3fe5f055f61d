package layer

// Layer is one covariate on the cells of a frame.
type Layer struct {
	Name   string
	Values []float64 // one for each cell of the frame, in its order; NaN where missing
	Source string    // where the values come from, for people
	// Coarse: the source's grid is far coarser than the frame's, as that of soil maps. Such a layer
	// is dropped when it hardly varies over the area.
	Coarse bool
}
