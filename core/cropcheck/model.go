package cropcheck

// Model names the comparison that [Check] makes, with its rule and its confidence. What is
// stored of a verdict names it; a change that can change a verdict takes the next number.
const Model = "twdtw-declared-1"

// Of returns the edition of curves that holds for a place. Curves whose extent is not known
// hold for no place: they may be of any.
func Of(place Place, editions []Edition) (Edition, bool) {
	for _, e := range editions {
		if e.Set.Extent != nil && e.Set.Extent.holds(place) {
			return e, true
		}
	}
	return Edition{}, false
}

// Has reports whether there is a curve of any of the classes.
func (s Set) Has(classes []string) bool {
	for _, class := range classes {
		if _, ok := s.curve(class); ok {
			return true
		}
	}
	return false
}
