package farm

import (
	"context"

	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/ports"
)

// The actions of fields that become others.
const (
	Split audit.Action = "split"
	Merge audit.Action = "merge"
)

// Reshape is the use cases that make fields of others: one is split into pieces, or several are merged. The fields that were
// are deleted, and stay readable where profiles, assessments and areas of interest refer to them.
type Reshape struct {
	deps           app.Deps
	limits         geo.Limits
	fields         *Records[farm.Field]
	cultivations   *Records[farm.Cultivation]
	fertilizations *Records[farm.Fertilization]
}

// NewReshape makes the use cases on the records that they write.
func NewReshape(deps app.Deps, limits geo.Limits, fields *Records[farm.Field], cultivations *Records[farm.Cultivation], fertilizations *Records[farm.Fertilization]) *Reshape {
	return &Reshape{deps, limits, fields, cultivations, fertilizations}
}

// permit refuses a caller who may not do all that it takes: to change, to create and to delete fields.
func (r *Reshape) permit(ctx context.Context, who access.Principal, whole access.Permission) error {
	return r.deps.Gate.Require(ctx, who, whole, access.Fields.Create.PartOf(whole), access.Fields.Delete.PartOf(whole))
}

// SplitRequest asks for the pieces of a field: with their outlines, or by a line that cuts it.
type SplitRequest struct {
	Pieces []Piece
	Line   []geo.Position
	Names  []string                       // of the pieces that a line makes, from west to east; those that are left out are numbered
	Agree  func(current farm.Field) error // may refuse the field as it is; nil: no
}

// Piece is a piece of a field as it is asked for.
type Piece struct {
	Name     string // empty: numbered
	Boundary geo.Boundary
	External record.External
}

// Split replaces a field by its pieces, and returns them; decode is asked how once the field is found. Faults: those of decode; NotFound; Invalid (pieces, line); Conflict (orders_open,
// boundary_missing, field_changed, duplicate_external_id).
func (r *Reshape) Split(ctx context.Context, who access.Principal, id int64, decode func() (SplitRequest, error)) ([]farm.Field, error) {
	scope := who.Scope(false)
	if err := r.permit(ctx, who, access.Fields.Edit.For("split")); err != nil {
		return nil, err
	}
	whole, err := app.In(ctx, r.deps.Store.Read, func(ctx context.Context, tx ports.Repos) (farm.Field, error) { return tx.Fields.Get(ctx, scope, id) })
	if err != nil {
		return nil, err
	}
	req, err := decode()
	if err != nil {
		return nil, err
	}
	pieces, err := r.pieces(ctx, &whole, req)
	if err != nil {
		return nil, err
	}
	return r.replace(ctx, who, replacement{
		action: Split, was: []farm.Field{whole}, made: pieces, agree: req.Agree,
		cultivate: func(old farmed) (out []sownOn) { return onPieces(old, pieces) },
		land:      func(of []credit.Land, made []credit.Land) []credit.Land { return of[0].Split(made) },
	})
}

// pieces returns the new fields that a field is split into. It takes no lock, and counts its steps.
func (r *Reshape) pieces(ctx context.Context, whole *farm.Field, req SplitRequest) ([]farm.Field, error) {
	if whole.Boundary == nil {
		return nil, fault.Newf(fault.Conflict, "boundary_missing", "The field has no boundary. Fix: give it one before it is split.").With("fields", []int64{whole.ID})
	}
	budget := effort.Of(ctx, r.limits.OverlapSteps)
	wanted := req.Pieces
	if req.Line != nil {
		var err error
		if wanted, err = r.cut(budget, whole, req); err != nil {
			return nil, tooTangled(ctx, geo.LineField, err)
		}
	} else if err := fits(budget, whole, wanted); err != nil {
		return nil, tooTangled(ctx, "pieces", err)
	}
	out, errs := make([]farm.Field, len(wanted)), fault.Fields{}
	for i, p := range wanted {
		name := strings.TrimSpace(p.Name)
		if name == "" {
			name = fmt.Sprintf("%s %d", whole.Name, i+1)
		}
		out[i] = whole.Piece(name, p.Boundary)
		out[i].External = p.External
		errs.Merge(out[i].Check())
	}
	return out, errs.Err()
}

// overlayDecimals is the digits of outlines that are made of others, a tenth of a millimetre: what an overlay has behind them is
// its own rounding.
const overlayDecimals = 9

// cut returns the pieces that a line makes of a field.
func (r *Reshape) cut(budget *effort.Budget, whole *farm.Field, req SplitRequest) ([]Piece, error) {
	field := whole.Boundary.Geometry()
	for _, end := range []geo.Position{req.Line[0], req.Line[len(req.Line)-1]} {
		if field.Inside(end) && req.Line[0] != req.Line[len(req.Line)-1] {
			return nil, fault.Field(geo.LineField, fmt.Sprintf("The line ends inside the field, at %s. Fix: let it begin and end outside or on the outline.", end))
		}
	}
	parts, err := geo.Cut(budget, field, req.Line)
	if err != nil {
		return nil, err
	}
	switch {
	case len(parts) <= len(field):
		return nil, fault.Field(geo.LineField, "The line does not divide the field. Fix: let it cross the field from outline to outline.")
	case len(parts) > farm.MaxPieces:
		return nil, fault.Field(geo.LineField, fmt.Sprintf("The line makes %d pieces; a field is split into at most %d at once.", len(parts), farm.MaxPieces))
	case len(req.Names) > len(parts):
		return nil, fault.Field("names", fmt.Sprintf("The line makes %d pieces, and there are %d names.", len(parts), len(req.Names)))
	}
	out := make([]Piece, len(parts))
	for i, part := range parts {
		boundary, err := geo.NewBoundary(budget, geo.MultiPolygon{part}.Rounded(overlayDecimals), r.limits)
		if f, ok := fault.As(err); ok {
			return nil, fault.Field(geo.LineField, fmt.Sprintf("Piece %d: %s Fix: draw the line elsewhere.", i, strings.Join(fault.Messages(f.Fields[geo.BoundaryField]), " ")))
		}
		if err != nil {
			return nil, err
		}
		if out[i].Boundary = boundary; i < len(req.Names) {
			out[i].Name = req.Names[i]
		}
	}
	return out, nil
}

// fits refuses pieces that do not divide a field.
func fits(budget *effort.Budget, whole *farm.Field, wanted []Piece) error {
	if len(wanted) < 2 || len(wanted) > farm.MaxPieces {
		return fault.Field("pieces", fmt.Sprintf("Give 2 to %d pieces.", farm.MaxPieces))
	}
	pieces := list.Map(wanted, func(p Piece) geo.MultiPolygon { return p.Boundary.Geometry() })
	fit, err := geo.Fitted(budget, whole.Boundary.Geometry(), pieces)
	if err != nil {
		return err
	}
	return farm.CheckFit(fit, whole.Boundary.Geometry(), pieces).Err()
}

// tooTangled says of outlines that cannot be put together what is wrong with them; of what failed otherwise it says nothing.
func tooTangled(ctx context.Context, field string, err error) error {
	if _, ok := fault.As(err); ok || ctx.Err() != nil {
		return err
	}
	return fault.Field(field, "The outlines cross one another in too many places to be compared. Fix: simplify them.")
}

// MergeRequest asks for one field of several.
type MergeRequest struct {
	Fields    []int64
	Name      string
	External  record.External
	KeepMixed bool // seasons in which the fields grew different crops keep all of them
}

// Merge replaces fields of one farm by the one that they are together, and returns it. Faults: NotFound, with the ids in
// details; Invalid (field_ids, name); Conflict (orders_open, boundary_missing, farms_differ, cultivations_differ, field_changed,
// duplicate_external_id).
func (r *Reshape) Merge(ctx context.Context, who access.Principal, req MergeRequest) (farm.Field, error) {
	scope, none := who.Scope(false), farm.Field{}
	if err := r.permit(ctx, who, access.Fields.Edit.For("merge")); err != nil {
		return none, err
	}
	ids := slices.Compact(slices.Sorted(slices.Values(req.Fields)))
	if len(ids) < 2 || len(ids) > farm.MaxMerged || len(ids) != len(req.Fields) {
		return none, fault.Field("field_ids", fmt.Sprintf("Give 2 to %d fields, none twice.", farm.MaxMerged))
	}
	parts, err := app.In(ctx, r.deps.Store.Read, func(ctx context.Context, tx ports.Repos) ([]farm.Field, error) {
		found, err := tx.Fields.GetMany(ctx, scope, ids)
		if err == nil {
			err = r.fields.allFound(ids, found)
		}
		return list.Map(ids, func(id int64) farm.Field { return found[id] }), err
	})
	if err != nil {
		return none, err
	}
	merged, err := r.merged(ctx, parts, req)
	if err != nil {
		return none, err
	}
	made, err := r.replace(ctx, who, replacement{
		action: Merge, was: parts, made: []farm.Field{merged},
		judge: func(old farmed) error {
			if mixed := farm.Mixed(old.cultivations); len(mixed) > 0 && !req.KeepMixed {
				return fault.New(fault.Conflict, "cultivations_differ",
					"In some seasons the fields grew different crops; merged, each of them would stand for all of the land. Fix: change the cultivations, or send keep_mixed: true to keep all of them.").
					With("seasons", mixed)
			}
			return nil
		},
		cultivate: func(old farmed) []sownOn { return onMerged(old, parts) },
		land: func(of []credit.Land, made []credit.Land) []credit.Land {
			return []credit.Land{credit.Merge(made[0], of)}
		},
	})
	if err != nil {
		return none, err
	}
	return made[0], nil
}

// merged returns the new field that others are together.
func (r *Reshape) merged(ctx context.Context, parts []farm.Field, req MergeRequest) (farm.Field, error) {
	var without, drawn []int64
	var outlines []geo.MultiPolygon
	for i := range parts {
		if parts[i].Farm.ID != parts[0].Farm.ID {
			return farm.Field{}, fault.New(fault.Conflict, "farms_differ", "The fields are of several farms. Fix: move them to one farm first.").
				With("farms", slices.Compact(slices.Sorted(slices.Values(list.Map(parts, func(p farm.Field) int64 { return p.Farm.ID })))))
		}
		if parts[i].Boundary == nil {
			without = append(without, parts[i].ID)
			continue
		}
		drawn, outlines = append(drawn, parts[i].ID), append(outlines, parts[i].Boundary.Geometry())
	}
	if len(without) > 0 && len(drawn) > 0 {
		return farm.Field{}, fault.New(fault.Conflict, "boundary_missing", "Some of the fields have no boundary. Fix: give them one, or merge those without one alone.").With("fields", without)
	}
	var boundary *geo.Boundary
	if len(drawn) > 0 {
		budget := effort.Of(ctx, r.limits.OverlapSteps)
		union, err := geo.Union(budget, outlines...)
		if err != nil {
			return farm.Field{}, tooTangled(ctx, "field_ids", err)
		}
		whole, err := geo.NewBoundary(budget, union.Rounded(overlayDecimals), r.limits)
		if f, ok := fault.As(err); ok {
			return farm.Field{}, fault.Field("field_ids", "Together: "+strings.Join(fault.Messages(f.Fields[geo.BoundaryField]), " "))
		}
		if err != nil {
			return farm.Field{}, tooTangled(ctx, "field_ids", err)
		}
		boundary = &whole
	}
	out := farm.Merged(strings.TrimSpace(req.Name), parts, boundary)
	out.External = req.External
	return out, out.Check().Err()
}

// replacement is fields that take the place of others.
type replacement struct {
	action    audit.Action
	was, made []farm.Field
	agree     func(current farm.Field) error
	judge     func(old farmed) error                     // may refuse what was grown; nil: no
	cultivate func(old farmed) []sownOn                  // what was grown on the fields that are made
	land      func(of, made []credit.Land) []credit.Land // what a company has paid for of them
}

// farmed is what was grown on fields, and brought to it.
type farmed struct {
	cultivations   []farm.Cultivation
	fertilizations map[int64][]farm.Fertilization // by the cultivation
}

// sownOn is a new cultivation on one of the fields that are made, with its applications.
type sownOn struct {
	field          int // its place among them
	cultivation    farm.Cultivation
	fertilizations []farm.Fertilization
}

// replace deletes fields and makes others of them, in one transaction: what hangs on them, what was paid, and who came of whom.
func (r *Reshape) replace(ctx context.Context, who access.Principal, p replacement) ([]farm.Field, error) {
	changes := list.Map(p.made, func(f farm.Field) Change[farm.Field] { return Change[farm.Field]{After: f} })
	end, err := r.fields.Foresee(ctx, who, changes)
	if err != nil {
		return nil, err
	}
	now := r.deps.Clock.Now()
	return app.In(ctx, r.deps.Store.Write, func(ctx context.Context, tx ports.Repos) ([]farm.Field, error) {
		old, err := r.open(ctx, tx, who.Scope(false), p, now)
		if err != nil {
			return nil, err
		}
		areas := make(map[int64]int64, len(p.was))
		for i := range p.was {
			areas[p.was[i].ID] = p.was[i].AreaM2()
		}
		paid, err := tx.Wallet.LandOf(ctx, who.Scope(false), areas)
		if err != nil {
			return nil, err
		}
		if err := r.retire(ctx, tx, who, p, now); err != nil {
			return nil, err
		}
		made, err := r.fields.Settle(ctx, tx, who, changes, end, false)
		if err != nil {
			return nil, err
		}
		stored := make([]*farm.Field, len(made))
		for i := range made {
			if err := refusedPiece(i, len(made), made[i].Errors); err != nil {
				return nil, err
			}
			stored[i] = &made[i].Record
		}
		if err := r.descend(ctx, tx, who.Scope(false), p, stored, paid); err != nil {
			return nil, err
		}
		if err := r.grow(ctx, tx, who, p.cultivate(old), stored, now); err != nil {
			return nil, err
		}
		if err := tx.Outbox.Add(ctx, r.event(who, p, stored, now)); err != nil {
			return nil, err
		}
		return r.fields.reread(ctx, tx, who.Scope(false), stored)
	})
}

// refusedPiece says of which piece something is wrong.
func refusedPiece(i, of int, errs fault.Fields) error {
	if len(errs) == 0 || of == 1 {
		return errs.Err()
	}
	piece, nested := fault.Fields{}, fault.Fields{}
	piece.Nest(strconv.Itoa(i), errs)
	nested.Nest("pieces", piece)
	return nested.Err()
}

// open locks the fields, after the wallet that paid for them, and returns what was grown on them. It refuses fields that are no
// longer as they were read, and those with orders that are not finished.
func (r *Reshape) open(ctx context.Context, tx ports.Repos, scope access.Scope, p replacement, now time.Time) (old farmed, err error) {
	ids := list.Map(p.was, func(f farm.Field) int64 { return f.ID })
	if _, err := satellite.LockPurse(ctx, tx, scope, now); err != nil {
		return old, err
	}
	current, err := tx.Fields.GetManyForUpdate(ctx, scope, ids)
	if err == nil {
		err = r.fields.allFound(ids, current)
	}
	if err != nil {
		return old, err
	}
	for i := range p.was {
		field := current[p.was[i].ID]
		if p.agree != nil {
			if err := p.agree(field); err != nil {
				return old, err
			}
		}
		if !field.UpdatedAt.Equal(p.was[i].UpdatedAt) {
			return old, fault.New(fault.Conflict, "field_changed", "The field was changed meanwhile. Fix: read it and send the request again.").With("fields", []int64{field.ID})
		}
	}
	open, err := tx.Orders.OpenOfFields(ctx, scope, ids)
	if err != nil {
		return old, err
	}
	if len(open) > 0 {
		return old, fault.New(fault.Conflict, "orders_open", "Profile orders of the fields are not finished yet. Fix: wait until they are active or failed.").With("orders", open)
	}
	if old.cultivations, err = tx.Cultivations.OfFields(ctx, scope, ids); err != nil {
		return old, err
	}
	if old.fertilizations, err = applied(ctx, tx, scope, old.cultivations); err != nil {
		return old, err
	}
	if p.judge != nil {
		err = p.judge(old)
	}
	return old, err
}

// applied returns the applications to cultivations.
func applied(ctx context.Context, tx ports.Repos, scope access.Scope, to []farm.Cultivation) (map[int64][]farm.Fertilization, error) {
	out := map[int64][]farm.Fertilization{}
	for _, c := range to {
		q := ports.Query{Filters: []ports.Filter{{Name: "cultivation", Value: c.ID}}}
		for one, err := range tx.Fertilizations.Each(ctx, scope, q) {
			if err != nil {
				return nil, err
			}
			out[c.ID] = append(out[c.ID], one)
		}
	}
	return out, nil
}

// retire deletes the fields that were, with what hangs on them, and ends the versions of their boundaries.
func (r *Reshape) retire(ctx context.Context, tx ports.Repos, who access.Principal, p replacement, now time.Time) error {
	scope := who.Scope(false)
	was := make([]*farm.Field, len(p.was))
	for i := range p.was {
		was[i] = &p.was[i]
	}
	ids := list.Map(was, func(f *farm.Field) int64 { return f.ID })
	if err := tx.Boundaries.Close(ctx, scope, ids, now); err != nil {
		return err
	}
	if err := r.fields.rules.Remove(ctx, tx, scope, was, now); err != nil {
		return err
	}
	if _, err := tx.Fields.SoftDelete(ctx, scope, ids, now); err != nil {
		return err
	}
	by := audit.By(who, now)
	return tx.Audit.AddCascade(ctx, list.Map(was, func(f *farm.Field) audit.Entry { return r.fields.entry(by, p.action, f, nil) })...)
}

// descend stores whom the new fields came of, and what companies have paid for of them.
func (r *Reshape) descend(ctx context.Context, tx ports.Repos, scope access.Scope, p replacement, made []*farm.Field, paid []credit.Land) error {
	var lineage []farm.Descent
	for _, f := range made {
		for i := range p.was {
			lineage = append(lineage, farm.Descent{From: p.was[i].ID, To: f.ID, Merged: p.action == Merge})
		}
	}
	if err := tx.Fields.PutLineage(ctx, scope, lineage); err != nil {
		return err
	}
	payers := map[int64]map[int64]credit.Land{}
	var companies []int64
	for _, one := range paid {
		if payers[one.CompanyID] == nil {
			payers[one.CompanyID], companies = map[int64]credit.Land{}, append(companies, one.CompanyID)
		}
		payers[one.CompanyID][one.FieldID] = one
	}
	var land []credit.Land
	for _, company := range companies {
		of := list.Map(p.was, func(f farm.Field) credit.Land {
			if one, ok := payers[company][f.ID]; ok {
				return one
			}
			return credit.Land{CompanyID: company, FieldID: f.ID, AreaM2: f.AreaM2()}
		})
		land = append(land, p.land(of, list.Map(made, func(f *farm.Field) credit.Land {
			return credit.Land{CompanyID: company, FieldID: f.ID, AreaM2: f.AreaM2()}
		}))...)
	}
	return tx.Wallet.PutLand(ctx, scope, land)
}

// grow stores what was grown on the fields that were as grown on those that are. It was allowed once: a crop that is no longer
// active stays.
func (r *Reshape) grow(ctx context.Context, tx ports.Repos, who access.Principal, sown []sownOn, made []*farm.Field, now time.Time) error {
	cultivations := make([]*farm.Cultivation, len(sown))
	for i := range sown {
		cultivations[i] = &sown[i].cultivation
		r.cultivations.begin(cultivations[i], who, now)
		cultivations[i].Field = record.Ref{ID: made[sown[i].field].ID, Name: made[sown[i].field].Name}
	}
	if len(sown) == 0 {
		return nil
	}
	if err := r.cultivations.insert(ctx, tx, who, cultivations); err != nil {
		return err
	}
	var fertilizations []*farm.Fertilization
	for i := range sown {
		for j := range sown[i].fertilizations {
			one := &sown[i].fertilizations[j]
			r.fertilizations.begin(one, who, now)
			one.Cultivation = record.Ref{ID: cultivations[i].ID}
			fertilizations = append(fertilizations, one)
		}
	}
	if len(fertilizations) == 0 {
		return nil
	}
	return r.fertilizations.insert(ctx, tx, who, fertilizations)
}

// event returns what tells others that fields became others.
func (r *Reshape) event(who access.Principal, p replacement, made []*farm.Field, now time.Time) event.Event {
	of := func(f farm.Field) event.FieldRef { return event.FieldRef{Field: f.ID, FieldUUID: f.UUID} }
	out := event.Event{
		ID: r.deps.IDs.UUID(), Type: event.TypeFieldsMerged, CompanyID: who.CompanyID, At: now, Subject: "field/" + made[0].UUID,
		Data: event.FieldsReplaced{From: list.Map(p.was, of), To: list.Map(made, func(f *farm.Field) event.FieldRef { return of(*f) })},
	}
	if p.action == Split {
		out.Type, out.Subject = event.TypeFieldSplit, "field/"+p.was[0].UUID
	}
	return out
}

// onPieces returns what was grown on a field as grown on each of its pieces.
func onPieces(old farmed, pieces []farm.Field) (out []sownOn) {
	for i, share := range farm.Shares(pieces) {
		for _, c := range old.cultivations {
			one := sownOn{field: i, cultivation: farm.Cultivation{Season: c.Season, Crop: c.Crop}}
			for _, f := range old.fertilizations[c.ID] {
				one.fertilizations = append(one.fertilizations, f.OnPiece(share))
			}
			out = append(out, one)
		}
	}
	return out
}

// onMerged returns what was grown on fields as grown on the one that they became: what is of one crop and season is one.
func onMerged(old farmed, parts []farm.Field) (out []sownOn) {
	of := make(map[int64]*farm.Field, len(parts))
	for i := range parts {
		of[parts[i].ID] = &parts[i]
	}
	for _, group := range farm.Together(old.cultivations) {
		one := sownOn{cultivation: farm.Cultivation{Season: group[0].Season, Crop: group[0].Crop}}
		for _, c := range group {
			for _, f := range old.fertilizations[c.ID] {
				one.fertilizations = append(one.fertilizations, f.OnMerged(of[c.Field.ID]))
			}
		}
		out = append(out, one)
	}
	return out
}

// findLineage fills in which fields were made of others, and became others.
func findLineage(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Field) error {
	reshaped := slices.DeleteFunc(slices.Clone(records), func(r *farm.Field) bool { return !r.Reshaped })
	if len(reshaped) == 0 {
		return nil
	}
	known, err := tx.Fields.Lineage(ctx, scope, ids(reshaped, func(r *farm.Field) int64 { return r.ID }))
	for _, r := range reshaped {
		r.Lineage = known[r.ID]
	}
	return err
}

// mustStandAlone refuses to bring back a field while one that it became, or that it was made of, is there: the land would be there twice.
func mustStandAlone(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) error {
	found, err := tx.Fields.Lineage(ctx, scope, []int64{id})
	if err != nil {
		return err
	}
	kin := slices.Concat(found[id].ReplacedBy, found[id].MergedFrom)
	if from := found[id].SplitFrom; from != 0 {
		kin = append(kin, from)
	}
	live, err := tx.Fields.Known(ctx, scope, kin)
	there := slices.DeleteFunc(kin, func(id int64) bool { return !live[id] })
	if err == nil && len(there) > 0 {
		slices.Sort(there)
		err = fault.New(fault.Conflict, "field_replaced", "Other fields stand for the land of this one. Fix: delete them first.").With("fields", there)
	}
	return err
}
