package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
)

func (w *World) addFarm() {
	farms := recordTable(w, "farm", func(r *farm.Farm) *record.Meta { return &r.Meta })
	seasons := &seasons{table: recordTable(w, "season", func(r *farm.Season) *record.Meta { return &r.Meta })}
	fields := &fields{table: recordTable(w, "field", func(r *farm.Field) *record.Meta { return &r.Meta }), farms: farms}
	cultivations := &cultivations{table: recordTable(w, "cultivation", func(r *farm.Cultivation) *record.Meta { return &r.Meta })}
	fertilizations := &fertilizations{table: recordTable(w, "fertilization", func(r *farm.Fertilization) *record.Meta { return &r.Meta })}
	seasons.cultivations, fertilizations.cultivations = cultivations, cultivations
	w.repos.Farms, w.repos.Fields, w.repos.Seasons, w.repos.Crops = farms, fields, seasons, &crops{known: map[int64]farm.Crop{}}
	w.repos.Cultivations, w.repos.Fertilizations = cultivations, fertilizations
	w.repos.Boundaries = &boundaries{w: w}
	w.addImports(fields)
	overlaps := &overlaps{fields, map[int64]farm.Overlaps{}}
	w.repos.Overlaps = overlaps
	w.saves = append(w.saves, func() func() {
		known := maps.Clone(overlaps.known)
		return func() { overlaps.known = known }
	})
}

func recordTable[T any](w *World, name string, meta func(*T) *record.Meta) *table[T] {
	return newTable(w, name, func(r *T) (id, company *int64) { return &meta(r).ID, &meta(r).CompanyID })
}

// AddCrop adds a crop to the catalog and returns its id.
func (w *World) AddCrop(name string, active bool) int64 {
	known := w.repos.Crops.(*crops).known
	id := int64(len(known) + 1)
	known[id] = farm.Crop{ID: id, Name: name, IsActive: active}
	return id
}

type noCrops struct{ ports.Crops }

type crops struct {
	noCrops
	known map[int64]farm.Crop
}

func (c *crops) GetMany(_ context.Context, ids []int64) (map[int64]farm.Crop, error) {
	out := map[int64]farm.Crop{}
	for _, id := range ids {
		if crop, ok := c.known[id]; ok {
			out[id] = crop
		}
	}
	return out, nil
}

type fields struct {
	*table[farm.Field]
	farms *table[farm.Farm]
}

func (f *fields) Homes(ctx context.Context, scope access.Scope, farmIDs []int64) (map[int64]farm.Home, error) {
	found, err := f.farms.GetMany(ctx, scope, farmIDs)
	out := make(map[int64]farm.Home, len(found))
	for id, one := range found {
		out[id] = farm.Home{Name: one.Name, Company: one.Company}
	}
	return out, err
}

func (f *fields) GetByUUID(_ context.Context, scope access.Scope, uuid string) (farm.Field, error) {
	for _, field := range f.all(scope, func(r farm.Field) bool { return r.UUID == uuid }) {
		return field, nil
	}
	return farm.Field{}, fault.Missing("field")
}

// Lineage is left to the database.
func (*fields) Lineage(context.Context, access.Scope, []int64) (map[int64]farm.Lineage, error) {
	return map[int64]farm.Lineage{}, nil
}

func (*fields) PutLineage(context.Context, access.Scope, []farm.Descent) error { return nil }

func (f *fields) IDsOfFarm(_ context.Context, scope access.Scope, farmID int64) ([]int64, error) {
	return f.ids(scope, func(r farm.Field) bool { return r.Farm.ID == farmID }), nil
}

func (f *fields) UndeleteOfFarm(_ context.Context, scope access.Scope, farmID int64, deletedAt, _ time.Time) ([]int64, error) {
	return f.undelete(scope, deletedAt, func(r farm.Field) bool { return r.Farm.ID == farmID }), nil
}

func (f *fields) GetManyByUUID(_ context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error) {
	out := map[string]farm.Field{}
	for _, field := range f.all(scope, func(r farm.Field) bool { return slices.Contains(uuids, r.UUID) }) {
		out[field.UUID] = field
	}
	return out, nil
}

func (f *fields) GetBare(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Field, error) {
	out, err := f.GetMany(ctx, scope, ids)
	for id, field := range out {
		field.Boundary = nil
		out[id] = field
	}
	return out, err
}

func (f *fields) Near(_ context.Context, scope access.Scope, box geo.Box, after int64, limit int) (out []farm.Place, err error) {
	for id, field := range f.all(scope, func(r farm.Field) bool { return r.Boundary != nil && r.Boundary.Bounds().Intersects(box) }) {
		if id > after && len(out) < limit {
			out = append(out, farm.Place{ID: id, Box: field.Boundary.Bounds(), Version: field.UpdatedAt})
		}
	}
	return out, nil
}

func (f *fields) Extent(_ context.Context, scope access.Scope) (box geo.Box, ok bool, err error) {
	for _, field := range f.all(scope, func(r farm.Field) bool { return r.Boundary != nil }) {
		if !ok {
			box, ok = field.Boundary.Bounds(), true
		}
		box = box.Union(field.Boundary.Bounds())
	}
	return box, ok, nil
}

func (f *fields) Spots(_ context.Context, scope access.Scope, farmIDs []int64) (map[int64][]farm.Spot, error) {
	out := map[int64][]farm.Spot{}
	for _, field := range f.all(scope, func(r farm.Field) bool { return r.Boundary != nil && slices.Contains(farmIDs, r.Farm.ID) }) {
		out[field.Farm.ID] = append(out[field.Farm.ID], farm.SpotOf(field.Boundary.Centroid()))
	}
	return out, nil
}

type overlaps struct {
	fields *fields
	known  map[int64]farm.Overlaps
}

func (*overlaps) Alone(context.Context, access.Scope) error { return nil }

func (o *overlaps) Of(_ context.Context, scope access.Scope, ids []int64) (map[int64]farm.Overlaps, error) {
	out := map[int64]farm.Overlaps{}
	for _, id := range ids {
		known, ok := o.known[id]
		if !ok || scope.Shared() {
			continue
		}
		known.Fields = slices.Clone(known.Fields)
		for i, other := range known.Fields {
			known.Fields[i].Name = o.fields.rows[other.ID].record.Name
		}
		out[id] = known
	}
	return out, nil
}

func (o *overlaps) Put(_ context.Context, _ access.Scope, known map[int64]farm.Overlaps) error {
	maps.Copy(o.known, known)
	return nil
}

func (o *overlaps) Forget(_ context.Context, _ access.Scope, ids []int64) (again bool, err error) {
	for id, known := range o.known {
		named := len(known.Fields)
		known.Fields = slices.DeleteFunc(slices.Clone(known.Fields), func(r record.Ref) bool { return slices.Contains(ids, r.ID) })
		if named > 0 && len(known.Fields) == 0 && known.More {
			known.More, known.Pending, again = false, true, true
		}
		if o.known[id] = known; slices.Contains(ids, id) {
			delete(o.known, id)
		}
	}
	return again, nil
}

func (o *overlaps) NextPending(_ context.Context, scope access.Scope) (int64, bool, error) {
	for _, id := range o.fields.ids(scope, nil) {
		if o.known[id].Pending {
			return id, true, nil
		}
	}
	return 0, false, nil
}

type seasons struct {
	*table[farm.Season]
	cultivations *cultivations
}

func (s *seasons) InUse(_ context.Context, scope access.Scope, id int64) (bool, error) {
	return len(s.cultivations.ids(scope, func(r farm.Cultivation) bool { return r.Season.ID == id })) > 0, nil
}

type cultivations struct{ *table[farm.Cultivation] }

func ofFields(ids []int64) func(farm.Cultivation) bool {
	return func(r farm.Cultivation) bool { return slices.Contains(ids, r.Field.ID) }
}

func (c *cultivations) CountOfField(_ context.Context, scope access.Scope, fieldID int64) (int64, error) {
	return int64(len(c.ids(scope, ofFields([]int64{fieldID})))), nil
}

func (c *cultivations) SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error) {
	return c.SoftDelete(ctx, scope, c.ids(scope, ofFields(fieldIDs)), at)
}

func (c *cultivations) UndeleteOfFields(_ context.Context, scope access.Scope, fieldIDs []int64, deletedAt, _ time.Time) error {
	c.undelete(scope, deletedAt, ofFields(fieldIDs))
	return nil
}

func (c *cultivations) OfFields(_ context.Context, scope access.Scope, fieldIDs []int64) ([]farm.Cultivation, error) {
	var out []farm.Cultivation
	for _, r := range c.all(scope, ofFields(fieldIDs)) {
		out = append(out, r)
	}
	return out, nil
}

func (c *cultivations) SeasonsOfFields(_ context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error) {
	var out []int64
	for _, r := range c.all(scope, ofFields(fieldIDs)) {
		out = append(out, r.Season.ID)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

type fertilizations struct {
	*table[farm.Fertilization]
	cultivations *cultivations
}

// below selects what belongs to the cultivations of fields, including deleted ones.
func (f *fertilizations) below(fieldIDs []int64) func(farm.Fertilization) bool {
	return func(r farm.Fertilization) bool {
		return slices.Contains(fieldIDs, f.cultivations.rows[r.Cultivation.ID].record.Field.ID)
	}
}

func ofCultivation(id int64) func(farm.Fertilization) bool {
	return func(r farm.Fertilization) bool { return r.Cultivation.ID == id }
}

func (f *fertilizations) OfFields(_ context.Context, scope access.Scope, fieldIDs []int64) ([]farm.Fertilization, error) {
	var out []farm.Fertilization
	for _, r := range f.all(scope, f.below(fieldIDs)) {
		out = append(out, r)
	}
	return out, nil
}

func (f *fertilizations) SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error) {
	return f.SoftDelete(ctx, scope, f.ids(scope, f.below(fieldIDs)), at)
}

func (f *fertilizations) SoftDeleteOfCultivation(ctx context.Context, scope access.Scope, id int64, at time.Time) (int64, error) {
	return f.SoftDelete(ctx, scope, f.ids(scope, ofCultivation(id)), at)
}

func (f *fertilizations) UndeleteOfFields(_ context.Context, scope access.Scope, fieldIDs []int64, deletedAt, _ time.Time) ([]int64, error) {
	return f.undelete(scope, deletedAt, f.below(fieldIDs)), nil
}

func (f *fertilizations) UndeleteOfCultivation(_ context.Context, scope access.Scope, id int64, deletedAt, _ time.Time) ([]int64, error) {
	return f.undelete(scope, deletedAt, ofCultivation(id)), nil
}

type noBoundaries struct{ ports.Boundaries }

type boundaries struct {
	noBoundaries
	w *World
}

func (b *boundaries) Close(_ context.Context, _ access.Scope, fieldIDs []int64, at time.Time) error {
	for i, v := range b.w.Boundaries {
		if v.ValidTo == nil && slices.Contains(fieldIDs, v.FieldID) {
			b.w.Boundaries[i].ValidTo = &at
		}
	}
	return nil
}

func (b *boundaries) Open(ctx context.Context, scope access.Scope, fieldIDs []int64, by int64) error {
	found, err := b.w.repos.Fields.GetMany(ctx, scope, fieldIDs)
	for _, id := range fieldIDs {
		if f, ok := found[id]; ok && f.Boundary != nil {
			b.w.Boundaries = append(b.w.Boundaries, farm.BoundaryVersion{
				ID: int64(len(b.w.Boundaries) + 1), FieldID: id, Boundary: f.Boundary.Geometry(), AreaM2: f.AreaM2(),
				ValidFrom: f.UpdatedAt, ChangedBy: &record.Ref{ID: by},
			})
		}
	}
	return err
}

func (b *boundaries) InForce(_ context.Context, _ access.Scope, fieldID int64) (farm.BoundaryVersion, error) {
	for _, v := range b.w.Boundaries {
		if v.FieldID == fieldID && v.ValidTo == nil {
			return v, nil
		}
	}
	return farm.BoundaryVersion{}, fault.Missing("boundary")
}
