package outlines

import (
	"context"
	"maps"
	"slices"
	"strings"

	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// mapped returns a mapping resolved against the properties of a file, with defaults for the members that the caller does not
// mention. It refuses a mapping that names a property which no feature has: fields without their external ids, or without
// names, would be noticed much later.
func (in *Imports) mapped(ctx context.Context, said farm.Mapping, file ImportFile, stored ports.Object, survey ports.Survey) (farm.Mapping, error) {
	names := make([]string, len(survey.Properties))
	for i, p := range survey.Properties {
		names[i] = p.Name
	}
	out, unknown := farm.Mapping{}, map[string][]string{}
	for member, source := range said {
		source.Properties, unknown[member] = known(source.Properties, names)
		out[member] = source
	}
	maps.DeleteFunc(unknown, func(_ string, names []string) bool { return len(names) == 0 })
	if err := in.lookFurther(ctx, file, stored, survey, unknown); err != nil {
		return nil, err
	}
	if refused := refuseUnknown(out, unknown, names); len(refused) > 0 {
		if file.Ignore == nil {
			return nil, refused.Err()
		}
		file.Ignore(refused)
	}
	for _, c := range exportColumns {
		if _, ok := out[c.Name]; !ok && c.Name != farmProperty && slices.Contains(farm.Members(), c.Name) {
			if name := named(c.Column, names); name != "" {
				out[c.Name] = farm.Source{Properties: []string{name}}
			}
		}
	}
	return out, chooseCrop(out, names)
}

// known returns the properties that a caller means, and those of them that are not among the names. A name with blanks that
// matches none, but whose words all do, stands for these words: in a query, a plus that is not escaped arrives as a blank.
func known(properties, names []string) (meant, unknown []string) {
	for _, p := range properties {
		words := strings.Fields(p)
		switch {
		case slices.Contains(names, p):
			meant = append(meant, p)
		case len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(names, w) }):
			meant = append(meant, words...)
		default:
			meant, unknown = append(meant, p), append(unknown, p)
		}
	}
	return meant, unknown
}

// lookFurther removes from unknown the properties that the file has although the survey does not name them.
func (in *Imports) lookFurther(ctx context.Context, file ImportFile, stored ports.Object, survey ports.Survey, unknown map[string][]string) error {
	if len(unknown) == 0 || !survey.More {
		return nil
	}
	for f, err := range in.Outlines.Attributes(ctx, file.Media, stored) {
		if err != nil {
			return err
		}
		for member, names := range unknown {
			names = slices.DeleteFunc(names, func(name string) bool { _, has := f.Attributes[name]; return has })
			if unknown[member] = names; len(names) == 0 {
				delete(unknown, member)
			}
		}
		if len(unknown) == 0 {
			return nil
		}
	}
	return nil
}

// refuseUnknown returns the errors about properties that no feature has, under the parameters that name them.
func refuseUnknown(mapping farm.Mapping, unknown map[string][]string, names []string) fault.Fields {
	out := fault.Fields{}
	for _, member := range slices.Sorted(maps.Keys(unknown)) {
		for _, property := range unknown[member] {
			message := "No feature of the file has a property \"" + property + "\""
			if nearest := fault.Nearest(property, names); nearest != "" {
				message += fault.Meant(nearest)
			} else {
				message += "."
			}
			param, below, nested := strings.Cut(mapping[member].Param, ".")
			if !nested {
				out.Misplaced(param, message)
				continue
			}
			if out[param] == nil {
				out[param] = fault.Fields{}
			}
			out[param].(fault.Fields).Misplaced(below, message)
		}
	}
	return out
}

// named returns the property that has a column's name or its short name, ignoring case; it is empty if there is none.
func named(column ports.Column, names []string) string {
	for _, same := range []func(name string) bool{
		func(name string) bool { return name == column.Name },
		func(name string) bool { return name == column.Short },
		func(name string) bool { return strings.EqualFold(name, column.Name) },
		func(name string) bool { return strings.EqualFold(name, column.Short) },
	} {
		if i := slices.IndexFunc(names, same); i >= 0 {
			return names[i]
		}
	}
	return ""
}
