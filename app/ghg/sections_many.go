package ghg

import (
	"context"
	"math"
	"slices"
	"strconv"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
)

// WriteItems merges each of the objects that were sent into the item of a list section that has its id: all of them, or none. All
// errors are reported at once, by their index in the list. Faults: NotFound, with the missing ids; Invalid; those of read.
func (a *Assessments) WriteItems(ctx context.Context, who access.Principal, id int64, key string, sent SectionReader) (Whole, error) {
	return a.changeItem(ctx, who, id, key, func(e *assessmentEdit) error {
		raw, err := sent(e.before)
		if err != nil {
			return err
		}
		list, ok := raw.([]any)
		if !ok || len(list) == 0 || len(list) > assessment.MaxItems {
			return fault.Field(fault.NonField, "Send an array of 1 to "+strconv.Itoa(assessment.MaxItems)+" objects, each with the id of the item that it changes.")
		}
		ids, errs := itemIDs(list)
		if err := errs.Err(); err != nil {
			return err
		}
		places, err := placesOf(e.before, key, ids)
		if err != nil {
			return err
		}
		rows, changed := slices.Clone(e.before.Sheet[key]), make([]assessment.Row, len(list))
		for i, item := range list {
			row, wrong := a.Table.Patch(key, rows[places[i]].Values, item)
			row.ID = ids[i]
			changed[i], rows[places[i]] = row, row
			errs.Nest(strconv.Itoa(i), wrong)
		}
		section, _ := a.Table.Section(key)
		if len(errs) == 0 {
			errs = e.cited(section, changed)
		}
		_, unknown := a.Table.Known(key, raw)
		if err := withNames(errs, unknown).Err(); err != nil {
			return err
		}
		e.replace(section, rows)
		return nil
	})
}

// itemIDs returns the ids in changes of items, and refuses repeated ones.
func itemIDs(list []any) ([]int64, fault.Fields) {
	out, errs, seen := make([]int64, len(list)), fault.Fields{}, map[int64]bool{}
	for i, item := range list {
		wrong := fault.Fields{}
		members, isObject := item.(map[string]any)
		switch id, isNumber := members["id"].(float64); {
		case !isObject:
			wrong.Add(fault.NonField, "An object is expected.")
		case !isNumber || id < 1 || id >= math.MaxInt64 || id != math.Trunc(id):
			wrong.Add("id", "Give the id of the item that this changes.")
		case seen[int64(id)]:
			wrong.Addf("id", "An earlier object changes the item %.0f.", id)
		default:
			out[i], seen[int64(id)] = int64(id), true
		}
		errs.Nest(strconv.Itoa(i), wrong)
	}
	return out, errs
}

// RemoveItems removes items from a list section, all or none. agree is called first, and may refuse. Faults: NotFound, with the missing
// ids; those of agree.
func (a *Assessments) RemoveItems(ctx context.Context, who access.Principal, of ItemsOf, agree func(current Whole) error) error {
	_, err := a.changeItem(ctx, who, of.Assessment, of.Section, func(e *assessmentEdit) error {
		places, err := placesOf(e.before, of.Section, of.IDs)
		if err != nil {
			return err
		}
		if err := agree(e.before); err != nil {
			return err
		}
		var left []assessment.Row
		for at, row := range e.before.Sheet[of.Section] {
			if !slices.Contains(places, at) {
				left = append(left, row)
			}
		}
		section, err := a.listed(of.Section)
		e.replace(section, left)
		return err
	})
	return err
}

// ItemsOf names items of a list section.
type ItemsOf struct {
	Assessment int64
	Section    string
	IDs        []int64
}

// placesOf returns the indices of items in their section. Faults: NotFound, with the missing ids.
func placesOf(w Whole, key string, ids []int64) ([]int, error) {
	out := make([]int, len(ids))
	var missing []int64
	for i, id := range ids {
		var err error
		if out[i], err = placeOf(w, key, id); err != nil {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return nil, fault.Missing("item").With("ids", missing)
	}
	return out, nil
}
