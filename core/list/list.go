// Package list has what slices lacks.
package list

// Map returns f of every element, in order; never nil.
func Map[T, R any](all []T, f func(T) R) []R {
	out := make([]R, len(all))
	for i, v := range all {
		out[i] = f(v)
	}
	return out
}
