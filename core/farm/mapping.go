package farm

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// Source states what a member of a field is taken from: properties of the features of a file, or what the caller says
// for all of them. The zero Source takes nothing.
type Source struct {
	Properties []string          // in order
	Separator  string            // between the values of several properties
	Values     map[string]string // the texts in the file and what they mean; nil: they are taken as they are
	Default    string            // where the file says nothing

	// Param is the parameter by which the caller chose it, such as map.name, for faults; empty where it is the default.
	Param string
}

// DefaultSeparator joins the values of several properties.
const DefaultSeparator = "-"

// Mapping holds the sources of the members of fields, by the names of the members.
type Mapping map[string]Source

// Members returns the members of a field that a mapping can name, in order.
func Members() []string {
	out := make([]string, len(members))
	for i, m := range members {
		out[i] = m.name
	}
	return out
}

// Keyed reports whether the mapping takes a key by which existing fields are found again.
func (m Mapping) Keyed() bool { return m.takes(memberUUID) || m.takes(memberExternalID) }

// Sows reports whether the mapping says what grows on fields, and in which season: then cultivations are created.
func (m Mapping) Sows() bool { return m.SaysCrop() && m.SaysSeason() }

// SaysCrop reports whether the mapping says what grows on fields.
func (m Mapping) SaysCrop() bool { return m.takes(memberCrop) || m[memberCrop].Default != "" }

// SaysSeason reports whether the mapping says in which season crops grow.
func (m Mapping) SaysSeason() bool { return m.takes(memberSeason) || m[memberSeason].Default != "" }

// Spreads reports whether the mapping takes what was applied to fields: then fertilizations are created.
func (m Mapping) Spreads() bool { return m.takes(memberProduct) || m[memberProduct].Default != "" }

// Settles reports whether the mapping says which farms features go to: then farms may be created.
func (m Mapping) Settles() bool { return m.takes(memberFarm) || m[memberFarm].Default != "" }

// Farm returns what the mapping takes from a feature as its farm, empty for nothing, and whether that may be cut off.
func (m Mapping) Farm(properties map[string]string, cut map[string]bool) (called string, mayEnd bool) {
	source := m[memberFarm]
	return source.read(memberFarm, properties, fault.Fields{}), source.cut(cut)
}

// Product returns the mapping's name for a product of the file; empty: the product is left out. changed is whether that
// differs from the name in the file. A product that the mapping does not know is added to errs.
func (m Mapping) Product(name string, errs fault.Fields) (called string, changed bool) {
	source := m[memberProduct]
	if len(source.Properties) == 0 {
		return source.Default, true
	}
	called = source.read(memberProduct, map[string]string{source.Properties[0]: name}, errs)
	return called, called != strings.TrimSpace(name)
}

func (m Mapping) takes(member string) bool { return len(m[member].Properties) > 0 }

// Properties returns the properties that the mapping takes, in order, each once.
func (m Mapping) Properties() []string {
	all := map[string]bool{}
	for _, source := range m {
		for _, p := range source.Properties {
			all[p] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Said is what a feature says about a field: texts by member, without the members that it says nothing about.
type Said struct {
	Texts map[string]string
	// Cut are the members whose text may be cut off, since the format had no room for more.
	Cut map[string]bool
}

// Read returns what the properties of a feature say, and errors for what cannot be understood. The text of properties
// in cut may be cut off.
func (m Mapping) Read(properties map[string]string, cut map[string]bool) (Said, fault.Fields) {
	said, errs := Said{Texts: map[string]string{}, Cut: map[string]bool{}}, fault.Fields{}
	for member, source := range m {
		if member == memberProduct { // it is read for each application
			continue
		}
		text := source.read(member, properties, errs)
		if member == memberUUID && text != "" {
			text = source.uuid(text, errs)
		}
		if text == "" {
			continue
		}
		said.Texts[member] = text
		if source.cut(cut) {
			said.Cut[member] = true
		}
	}
	return said, errs
}

// cut reports whether one of the properties may be cut off.
func (s Source) cut(cut map[string]bool) bool {
	return slices.ContainsFunc(s.Properties, func(p string) bool { return cut[p] })
}

// read returns what properties say about a member; empty: nothing.
func (s Source) read(member string, properties map[string]string, errs fault.Fields) string {
	var parts []string
	for _, p := range s.Properties {
		if text := strings.TrimSpace(properties[p]); text != "" {
			parts = append(parts, text)
		}
	}
	if member == memberExternalID && len(parts) > 0 && len(parts) < len(s.Properties) {
		// An incomplete key would be that of other fields.
		errs.Addf(member, "The key is made of %s, and not all of them are filled in.", fault.List(s.Properties))
		return ""
	}
	text := strings.Join(parts, s.Separator)
	if meaning, ok := s.Values[text]; ok {
		text = meaning
	} else if s.Values != nil && text != "" {
		errs.Addf(member, "%.60q of %s is not among the values %s. Fix: add it to the values of the mapping.", text, fault.List(s.Properties), s.known())
		return ""
	}
	if text == "" {
		return s.Default
	}
	return text
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// uuid returns a uuid in the form that fields have. Text that is not a uuid is the key of another system, unless the caller says that it is a uuid.
func (s Source) uuid(text string, errs fault.Fields) string {
	plain := strings.Trim(strings.ToLower(text), "{}")
	if uuidForm.MatchString(plain) {
		return plain
	}
	errs.AddIf(s.Param != "", memberUUID, "%.60q is not a UUID.", text)
	return ""
}

// known returns the values that are translated, as a message lists them.
func (s Source) known() string {
	const shown = 10
	list := slices.Sorted(maps.Keys(s.Values))
	if len(list) > shown {
		list = append(list[:shown], "…")
	}
	return fault.List(list)
}

// Crop returns the crop that grows on the field by its name in the file, whether that may be cut off, and the id of the
// season; empty and 0 where either is missing. Text that is not the id of a season is added to errs.
func (s Said) Crop(errs fault.Fields) (name string, cut bool, season int64) {
	name, text := s.Texts[memberCrop], s.Texts[memberSeason]
	if name == "" || text == "" {
		return "", false, 0
	}
	season, err := strconv.ParseInt(text, 10, 64)
	if err != nil || season <= 0 {
		errs.Addf(memberSeason, "%.60q is not the id of a season.", text)
		return "", false, 0
	}
	return name, s.Cut[memberCrop], season
}

// Farm returns what the feature says about its farm, empty for nothing, and whether that may be cut off.
func (s Said) Farm() (called string, mayEnd bool) { return s.Texts[memberFarm], s.Cut[memberFarm] }

// Assign writes into a field what a feature says about it, and reports whether that changes it. What cannot be
// understood is added to errs.
func (s Said) Assign(f *Field, errs fault.Fields) (changed bool) {
	for _, m := range members {
		text, said := s.Texts[m.name]
		if !said || m.set == nil {
			continue
		}
		different, wrong := m.set(f, text, s.Cut[m.name])
		if wrong != "" {
			errs.Add(m.name, wrong)
		}
		changed = changed || different
	}
	return changed
}
