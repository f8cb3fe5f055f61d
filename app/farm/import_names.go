package farm

import (
	"context"
	"maps"
	"slices"

	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// maxProperties bounds the properties of a file that a wrong name is compared with.
const maxProperties = 1_000

// propertiesOf refuses an import whose caller names a property that no feature has: fields without their external ids, or
// without names, are found out much later. It reads as far as the first feature that has it.
func (in *Imports) propertiesOf(ctx context.Context, options farm.ImportOptions, file ImportFile, stored ports.Object) error {
	wanted := map[string]string{}
	if options.ExternalIDProperty != "" {
		wanted["external_id_property"] = options.ExternalIDProperty
	}
	if p := options.NameProperty; p != "" && p != farm.DefaultNameProperty {
		wanted["name_property"] = p
	}
	if len(wanted) == 0 {
		return nil
	}
	seen, features := map[string]bool{}, false
	for f, err := range in.Outlines.Read(ctx, file.Media, stored) {
		if err != nil {
			return err
		}
		features = true
		maps.DeleteFunc(wanted, func(_, property string) bool { _, has := f.Attributes[property]; return has })
		if len(wanted) == 0 {
			return nil
		}
		for property := range f.Attributes {
			if len(seen) < maxProperties {
				seen[property] = true
			}
		}
	}
	if !features {
		return nil // which the import says
	}
	unknown := fault.Fields{}
	for param, property := range wanted {
		message := "No feature of the file has a property \"" + property + "\""
		if nearest := fault.Nearest(property, slices.Sorted(maps.Keys(seen))); nearest != "" {
			unknown.Misplaced(param, message+fault.Meant(nearest))
		} else {
			unknown.Misplaced(param, message+".")
		}
	}
	if file.Ignore != nil {
		file.Ignore(unknown)
		return nil
	}
	return unknown.Err()
}
