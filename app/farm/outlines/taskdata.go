package outlines

import (
	"cmp"
	"context"
	"io"
	"iter"
	"maps"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/record"
	"tilth/ports"
)

// taskChunk is the number of fields that are read with their crops at a time.
const taskChunk = 500

// maxPoints bounds the number of sample places that task data names.
const maxPoints = 200_000

// ExportTaskData returns a function that writes the fields that a list would return as task data of ISO 11783-10: with their
// farms, and with the crops, products and sample places of records that the caller may see.
func (in *Imports) ExportTaskData(ctx context.Context, who access.Principal, shared bool, q ports.Query) (func(to io.Writer) error, error) {
	found, err := in.Fields.List(ctx, who, shared, q)
	if err != nil {
		return nil, err
	}
	sees := map[access.Permission]bool{}
	for _, p := range []access.Permission{access.Farms.View, access.Cultivations.View, access.Fertilizations.View, access.SamplePlans.View} {
		err := in.Gate.Require(ctx, who, p)
		if err != nil && !fault.Is(err, fault.Forbidden) {
			return nil, err
		}
		sees[p] = err == nil
	}
	t := taskData{Imports: in, scope: who.Scope(shared), sees: sees}
	if t.places, err = t.points(ctx); err != nil {
		return nil, err
	}
	return func(to io.Writer) error {
		return in.Writer.WriteTaskData(ctx, to, t.fields(ctx, found.Each))
	}, nil
}

type taskData struct {
	*Imports
	scope  access.Scope
	sees   map[access.Permission]bool
	places []ports.TaskPoint // of samples, from west to east
}

// points returns the places of the newest saved plan of each area of interest, without its reserves.
func (t taskData) points(ctx context.Context) ([]ports.TaskPoint, error) {
	if !t.sees[access.SamplePlans.View] {
		return nil, nil
	}
	return app.In(ctx, t.Store.Read, func(ctx context.Context, tx ports.Repos) (out []ports.TaskPoint, err error) {
		newest := map[int64]int64{}
		for p, err := range tx.SamplePlans.EachSaved(ctx, t.scope, ports.Query{}, false) {
			if err != nil {
				return nil, err
			}
			newest[p.AOI.ID] = max(newest[p.AOI.ID], p.ID)
		}
		for _, aoi := range slices.Sorted(maps.Keys(newest)) {
			p, err := tx.SamplePlans.GetSaved(ctx, t.scope, newest[aoi], true)
			if err != nil {
				return nil, err
			}
			for _, point := range p.Plan.Points {
				if point.LonLat != nil && point.Role.Visited() && len(out) < maxPoints {
					out = append(out, ports.TaskPoint{Name: point.ID, At: *point.LonLat})
				}
			}
		}
		slices.SortStableFunc(out, func(a, b ports.TaskPoint) int { return cmp.Compare(a.At.X, b.At.X) })
		return out, nil
	})
}

// within returns the places that lie in a field, sorted by name.
func (t taskData) within(f *farm.Field) (out []ports.TaskPoint) {
	if f.Boundary == nil {
		return nil
	}
	box := f.Boundary.Bounds()
	from, _ := slices.BinarySearchFunc(t.places, box.MinX, func(p ports.TaskPoint, x float64) int { return cmp.Compare(p.At.X, x) })
	for _, p := range t.places[from:] {
		if p.At.X > box.MaxX {
			break
		}
		if box.Contains(p.At) && f.Boundary.Geometry().Contains(p.At) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b ports.TaskPoint) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// fields reads fields with what belongs to them, a chunk at a time.
func (t taskData) fields(ctx context.Context, fields iter.Seq2[farm.Field, error]) iter.Seq2[ports.PartField, error] {
	return func(yield func(ports.PartField, error) bool) {
		var chunk []ports.PartField
		flush := func() bool {
			err := t.enrich(ctx, chunk)
			for _, f := range chunk {
				if !yield(f, err) || err != nil {
					return false
				}
			}
			chunk = chunk[:0]
			return true
		}
		for field, err := range fields {
			if err != nil {
				yield(ports.PartField{}, err)
				return
			}
			chunk = append(chunk, ports.PartField{Field: field, Farm: farm.Farm{Name: field.Farm.Name}, Points: t.within(&field)})
			if len(chunk) == taskChunk && !flush() {
				return
			}
		}
		flush()
	}
}

// enrich fills in the farms of fields, their crops and what was applied to them.
func (t taskData) enrich(ctx context.Context, fields []ports.PartField) error {
	if len(fields) == 0 {
		return nil
	}
	return t.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		var fieldIDs, farmIDs []int64
		for _, f := range fields {
			fieldIDs, farmIDs = append(fieldIDs, f.Field.ID), append(farmIDs, f.Field.Farm.ID)
		}
		if t.sees[access.Farms.View] {
			slices.Sort(farmIDs)
			farms, err := tx.Farms.GetMany(ctx, t.scope, slices.Compact(farmIDs))
			if err != nil {
				return err
			}
			for i := range fields {
				if found, ok := farms[fields[i].Field.Farm.ID]; ok {
					fields[i].Farm = found
				}
			}
		}
		grown, err := tx.Cultivations.OfFields(ctx, t.scope, fieldIDs)
		if err != nil {
			return err
		}
		if t.sees[access.Cultivations.View] {
			crops, err := lastCrops(ctx, tx, t.scope, grown)
			if err != nil {
				return err
			}
			for i := range fields {
				fields[i].Crop = crops[fields[i].Field.ID]
			}
		}
		if t.sees[access.Fertilizations.View] {
			return t.spread(ctx, tx, fields, grown)
		}
		return nil
	})
}

// spread fills in what was applied to fields, given their cultivations.
func (t taskData) spread(ctx context.Context, tx ports.Repos, fields []ports.PartField, grown []farm.Cultivation) error {
	at, ids := map[int64]int{}, make([]int64, len(fields)) // fields by id, then by cultivation
	for i := range fields {
		ids[i] = fields[i].Field.ID
		at[ids[i]] = i
	}
	fieldOf, sown := make(map[int64]int, len(grown)), make(map[int64]string, len(grown))
	if t.sees[access.Cultivations.View] {
		known, err := withSeasons(ctx, tx, t.scope, grown)
		if err != nil {
			return err
		}
		for _, g := range known {
			sown[g.ID] = g.Name()
		}
	}
	for _, c := range grown {
		fieldOf[c.ID] = at[c.Field.ID]
	}
	applied, err := tx.Fertilizations.OfFields(ctx, t.scope, ids)
	today := t.Clock.Now()
	for _, f := range applied {
		i, known := fieldOf[f.Cultivation.ID]
		if !known {
			continue
		}
		one := ports.TaskInput{
			ID: f.ID, ExternalID: f.ExternalID, Product: f.Name(), Typed: f.ProductName, Key: f.Product, Sown: sown[f.Cultivation.ID],
			DensityKgPerL: f.DensityKgPerL, On: f.AppliedOn,
		}
		one.Planned = f.AppliedOn != nil && f.AppliedOn.After(today)
		if rate, volume, ok := f.Rate(); ok {
			one.Rate, one.Unit = rate, fieldmap.UnitOfRate(volume)
		}
		fields[i].Spread = append(fields[i].Spread, one)
	}
	return err
}

// withSeasons returns cultivations with their seasons.
func withSeasons(ctx context.Context, tx ports.Repos, scope access.Scope, grown []farm.Cultivation) ([]farm.Grown, error) {
	seasons, err := tx.Seasons.GetMany(ctx, scope, distinct(grown, func(c farm.Cultivation) int64 { return c.Season.ID }))
	out := make([]farm.Grown, len(grown))
	for i, c := range grown {
		out[i] = farm.Grown{Cultivation: c, Season: seasons[c.Season.ID]}
	}
	return out, err
}

// lastCrops returns what grows on fields in the season that begins last, by the id of the field, given their cultivations.
func lastCrops(ctx context.Context, tx ports.Repos, scope access.Scope, grown []farm.Cultivation) (map[int64]record.Ref, error) {
	seasons, err := tx.Seasons.GetMany(ctx, scope, distinct(grown, func(c farm.Cultivation) int64 { return c.Season.ID }))
	if err != nil {
		return nil, err
	}
	out, last := map[int64]record.Ref{}, map[int64]farm.Season{}
	for _, c := range grown {
		before, known := last[c.Field.ID]
		if season := seasons[c.Season.ID]; !known || season.StartDate.After(before.StartDate) {
			out[c.Field.ID], last[c.Field.ID] = c.Crop, season
		}
	}
	return out, nil
}

func distinct[T any](of []T, id func(T) int64) []int64 {
	all := map[int64]bool{}
	for _, one := range of {
		all[id(one)] = true
	}
	return slices.Sorted(maps.Keys(all))
}
