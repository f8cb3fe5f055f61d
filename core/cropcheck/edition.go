package cropcheck

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"tilth/core/fault"
)

// Edition is a version of the curves of a region.
type Edition struct {
	Region     string // such as mato-grosso
	Version    string // such as 2026-1
	Set        Set
	ImportedAt time.Time // zero: the built-in curves
}

// The names of the built-in curves. An import for the region replaces them.
const (
	BuiltInRegion  = "mato-grosso"
	BuiltInVersion = "built-in"
)

// BuiltIn reports whether these are the built-in curves.
func (e Edition) BuiltIn() bool { return e.ImportedAt.IsZero() }

var editionName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// Check refuses an edition without proper names, or whose extent is not a box. [NewSet] has checked
// its curves. Faults: Invalid (region, version, extent, scope).
func (e Edition) Check() error {
	f := fault.Fields{}
	for field, name := range map[string]string{"region": e.Region, "version": e.Version} {
		if !editionName.MatchString(name) {
			f.Add(field, "1 to 63 small letters, digits, dots, hyphens and underscores, such as mato-grosso or 2026-1.")
		}
	}
	if e.Version == BuiltInVersion {
		f.Addf("version", "%q is the name of the curves that come with Tilth; choose another.", BuiltInVersion)
	}
	if x := e.Set.Extent; x != nil &&
		!(x.West >= -180 && x.West < x.East && x.East <= 180 && x.South >= -90 && x.South < x.North && x.North <= 90) {
		f.Add("extent", "West, south, east and north in degrees, west before east and south before north.")
	}
	if len(e.Set.Scope) > 1000 {
		f.Add("scope", "At most 1,000 bytes.")
	}
	return f.Err()
}

// InForce returns the editions in force, sorted by region: the imported, and the built-in one where its region has none.
func InForce(builtIn Set, imported []Edition) []Edition {
	out := slices.Clone(imported)
	if !slices.ContainsFunc(out, func(e Edition) bool { return e.Region == BuiltInRegion }) {
		out = append(out, Edition{Region: BuiltInRegion, Version: BuiltInVersion, Set: builtIn})
	}
	slices.SortFunc(out, func(a, b Edition) int { return cmp.Compare(a.Region, b.Region) })
	return out
}
