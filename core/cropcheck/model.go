package cropcheck

import "slices"

// Model names the comparison that [Check] makes, with its rule and its confidence. Stored verdicts
// name it; a change that can change a verdict takes the next number.
const Model = "twdtw-declared-2"

// Of returns the edition of curves for a place. Curves without an extent apply to no place.
func Of(place Place, editions []Edition) (Edition, bool) {
	i := slices.IndexFunc(editions, func(e Edition) bool { return e.Set.Extent != nil && e.Set.Extent.holds(place) })
	if i < 0 {
		return Edition{}, false
	}
	return editions[i], true
}

// Has reports whether there is a curve of any of the classes.
func (s Set) Has(classes []string) bool {
	return slices.ContainsFunc(classes, func(class string) bool { _, ok := s.curve(class); return ok })
}
