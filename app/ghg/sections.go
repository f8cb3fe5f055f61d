package ghg

import (
	"context"
	"fmt"
	"slices"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// Section returns the section with a key. Faults: NotFound.
func (a *Assessments) Section(key string) (assessment.Section, error) {
	section, ok := a.Table.Section(key)
	if !ok {
		return section, fault.Missing("section")
	}
	return section, nil
}

// SectionReader returns what a client sent. A use case calls it under the lock of the assessment,
// once it needs the change.
type SectionReader func(current Whole) (any, error)

// WriteSection replaces a section by what was sent. A partial write of an object merges what was sent into the existing
// object; a list is replaced either way. Faults: NotFound (also an unknown section), Invalid, and those of read.
func (a *Assessments) WriteSection(ctx context.Context, who access.Principal, id int64, key string, partial bool, sent SectionReader) (Whole, error) {
	return a.change(ctx, who, id, func(_ context.Context, _ ports.Repos, e *assessmentEdit) error {
		section, err := a.Section(key)
		if err != nil {
			return err
		}
		raw, err := sent(e.before)
		if err != nil {
			return err
		}
		if raw == nil {
			return fault.Field(fault.NonField, fmt.Sprintf("Expected the section %s, got null.", key))
		}
		_, unknown := a.Table.Known(key, raw)
		return withNames(a.enter(e, section, raw, partial), unknown).Err()
	})
}

// valuesOf returns the values of an object section.
func valuesOf(rows []assessment.Row) assessment.Values {
	if len(rows) == 0 {
		return nil
	}
	return rows[0].Values
}

// Item returns one item of a list section. Faults: NotFound.
func (a *Assessments) Item(ctx context.Context, who access.Principal, shared bool, id int64, key string, itemID int64) (Whole, assessment.Row, error) {
	whole, err := a.Retrieve(ctx, who, shared, id)
	if err == nil {
		_, err = a.listed(key)
	}
	if err != nil {
		return whole, assessment.Row{}, err
	}
	at, err := placeOf(whole, key, itemID)
	if err != nil {
		return whole, assessment.Row{}, err
	}
	return whole, whole.Sheet[key][at], nil
}

// placeOf returns the index of an item in its section. Faults: NotFound.
func placeOf(w Whole, key string, id int64) (int, error) {
	at := slices.IndexFunc(w.Sheet[key], func(r assessment.Row) bool { return r.ID == id })
	if at < 0 {
		return 0, fault.Missing("item")
	}
	return at, nil
}

// listed returns a list section. The single object of an object section is not an item.
func (a *Assessments) listed(key string) (assessment.Section, error) {
	section, err := a.Section(key)
	if err == nil && section.Shape != assessment.List {
		err = fault.Missing("item")
	}
	return section, err
}

// AddItem appends an item to a list section. Faults: NotFound, Invalid, and those of read.
func (a *Assessments) AddItem(ctx context.Context, who access.Principal, id int64, key string, sent SectionReader) (Whole, assessment.Row, error) {
	var row assessment.Row
	whole, err := a.changeItem(ctx, who, id, key, func(e *assessmentEdit) error {
		raw, err := sent(e.before)
		if err != nil {
			return err
		}
		if len(e.before.Sheet[key]) >= assessment.MaxItems {
			return fault.Field(fault.NonField, fmt.Sprintf("This section has %d items already, which is the most it may have.", assessment.MaxItems))
		}
		fresh, wrong := a.Table.CheckItem(key, raw)
		row = assessment.Row{Values: fresh.Values}
		if err := a.refuseItem(e, key, raw, row, wrong); err != nil {
			return err
		}
		e.set(key, append(slices.Clone(e.before.Sheet[key]), row))
		e.sections[key] = func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
			return tx.Assessments.AddRow(ctx, scope, id, key, &row)
		}
		return nil
	})
	return whole, row, err
}

// refuseItem returns the fault of an item that was sent.
func (a *Assessments) refuseItem(e *assessmentEdit, key string, raw any, row assessment.Row, wrong fault.Fields) error {
	if len(wrong) == 0 {
		wrong = e.cited(assessment.Section{Key: key}, []assessment.Row{row})
	}
	_, unknown := a.Table.Known(key, raw)
	return withNames(wrong, unknown).Err()
}

// ItemOf names an item of a list section.
type ItemOf struct {
	Assessment int64
	Section    string
	ID         int64
}

// WriteItem replaces an item of a list section, or merges what was sent into it. Faults: NotFound, Invalid,
// and those of read.
func (a *Assessments) WriteItem(ctx context.Context, who access.Principal, item ItemOf, partial bool, sent SectionReader) (Whole, assessment.Row, error) {
	var row assessment.Row
	id, key, itemID := item.Assessment, item.Section, item.ID
	whole, err := a.changeItem(ctx, who, id, key, func(e *assessmentEdit) error {
		at, err := placeOf(e.before, key, itemID)
		if err != nil {
			return err
		}
		raw, err := sent(e.before)
		if err != nil {
			return err
		}
		var wrong fault.Fields
		if partial {
			row, wrong = a.Table.Patch(key, e.before.Sheet[key][at].Values, raw)
		} else {
			row, wrong = a.Table.CheckItem(key, raw)
		}
		row.ID = itemID
		if err := a.refuseItem(e, key, raw, row, wrong); err != nil {
			return err
		}
		rows := slices.Clone(e.before.Sheet[key])
		rows[at] = row
		e.set(key, rows)
		e.sections[key] = func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
			return tx.Assessments.SetRow(ctx, scope, id, key, row)
		}
		return nil
	})
	return whole, row, err
}

// RemoveItem removes an item from a list section. agree is called first, and may refuse. Faults: NotFound,
// and those of agree.
func (a *Assessments) RemoveItem(ctx context.Context, who access.Principal, id int64, key string, itemID int64, agree func(current Whole) error) error {
	_, err := a.changeItem(ctx, who, id, key, func(e *assessmentEdit) error {
		at, err := placeOf(e.before, key, itemID)
		if err != nil {
			return err
		}
		if err := agree(e.before); err != nil {
			return err
		}
		e.set(key, slices.Delete(slices.Clone(e.before.Sheet[key]), at, at+1))
		e.sections[key] = func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
			return tx.Assessments.RemoveRow(ctx, scope, id, key, itemID)
		}
		return nil
	})
	return err
}

func (a *Assessments) changeItem(ctx context.Context, who access.Principal, id int64, key string, do func(e *assessmentEdit) error) (Whole, error) {
	return a.change(ctx, who, id, func(_ context.Context, _ ports.Repos, e *assessmentEdit) error {
		if _, err := a.listed(key); err != nil {
			return err
		}
		return do(e)
	})
}

// Declare replaces the declarations of an assessment. Faults: NotFound, Invalid, and those of read.
func (a *Assessments) Declare(ctx context.Context, who access.Principal, id int64, sent SectionReader) (Whole, error) {
	return a.change(ctx, who, id, func(_ context.Context, _ ports.Repos, e *assessmentEdit) error {
		raw, err := sent(e.before)
		if err != nil {
			return err
		}
		declarations, wrong := a.Table.CheckDeclarations(raw, e.before.Sheet)
		e.after.Declarations = declarations
		return wrong.Err()
	})
}
