package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// mapped is the field that has maps.
const mapped = "Border field"

// furnishing is one run of [Loader.Furnish].
type furnishing struct {
	*Loader
	plan          Plan
	owner, editor access.Principal
	fields        []farm.Field // the parcels that are still there
}

// Furnish computes the results of the demonstration while the server is up, and waits for them. What already exists stays as it is, so
// that an interrupted run continues at the next start. A part that fails does not affect the others.
func (l *Loader) Furnish(ctx context.Context, plan Plan) error {
	f := furnishing{Loader: l, plan: plan}
	for mail, who := range map[string]*access.Principal{OwnerMail: &f.owner, EditorMail: &f.editor} {
		user, there, err := l.user(ctx, mail)
		if err != nil || !there { // whoever erased them continues without the demonstration's people
			return err
		}
		*who = asUser(user)
	}
	fields, err := l.Fields.List(ctx, f.owner, false, ports.Query{})
	if err != nil {
		return err
	}
	for one, err := range fields.Each {
		if err != nil {
			return err
		}
		if one.Source == source && one.Boundary != nil {
			f.fields = append(f.fields, one)
		}
	}
	var errs []error
	for _, part := range []struct {
		name string
		make func(ctx context.Context) error
	}{
		{"profiles", f.profiles}, {"assessments", f.assessments}, {"the season before", f.seasonBefore}, {"maps", f.maps}, {"zones and samples", f.sampling},
	} {
		if err := part.make(ctx); err != nil && ctx.Err() == nil {
			errs = append(errs, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// field returns a parcel by its name; ok is false if the user removed it.
func (f *furnishing) field(name string) (farm.Field, bool) {
	for _, one := range f.fields {
		if one.Name == name {
			return one, true
		}
	}
	return farm.Field{}, false
}

// profiles orders the profile of every parcel in the season.
func (f *furnishing) profiles(ctx context.Context) error {
	season, err := f.season(ctx, f.owner, f.plan.From, f.plan.To)
	if err != nil {
		return err
	}
	return f.orderProfiles(ctx, season)
}

// orderProfiles orders the missing profiles of a season. An existing one, even if it failed, is left as it is.
func (f *furnishing) orderProfiles(ctx context.Context, season farm.Season) error {
	if season.ID == 0 {
		return nil
	}
	have, err := f.Profiles.List(ctx, f.owner, false, ports.Query{Filters: []ports.Filter{{Name: "season", Value: season.ID}}})
	if err != nil {
		return err
	}
	ordered := map[int64]bool{}
	for order, err := range have.Each {
		if err != nil {
			return err
		}
		ordered[order.FieldID] = true
	}
	var wanted []satellite.ProfileRequest
	for _, field := range f.fields {
		if !ordered[field.ID] {
			wanted = append(wanted, satellite.ProfileRequest{FieldUUID: field.UUID, SeasonID: season.ID, Index: vegetation.NDVI})
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	placed, err := f.Profiles.PlaceMany(ctx, f.owner, wanted, false)
	if err != nil {
		return err
	}
	return errors.Join(list.Map(placed, refused)...)
}

// refused returns the reason why an order was not placed, if it was not.
func refused(p satellite.Placed) error {
	if p.OrderID != 0 {
		return nil
	}
	return fault.New(fault.Conflict, p.Code, p.Message)
}

// seasonBefore adds the season before, its crops, and its profiles.
func (f *furnishing) seasonBefore(ctx context.Context) error {
	if f.plan.Before == nil {
		return nil
	}
	of, err := f.plan.Before(ctx)
	if err != nil {
		return err
	}
	season, err := f.season(ctx, f.owner, of.From, of.To)
	if err != nil {
		return err
	}
	crops, err := f.crops(ctx, f.owner)
	if err != nil {
		return err
	}
	for _, field := range f.fields {
		if err := f.sow(ctx, f.owner, field, season, crops[of.Crops[field.Name]]); err != nil {
			return err
		}
	}
	return f.orderProfiles(ctx, season)
}

// maps orders the maps of one field: its pixels date by date, zones of the season and those before it, and its relief.
func (f *furnishing) maps(ctx context.Context) error {
	field, ok := f.field(mapped)
	if !ok {
		return nil
	}
	season, err := f.season(ctx, f.owner, f.plan.From, f.plan.To)
	if err != nil || season.ID == 0 {
		return err
	}
	for _, wanted := range []satellite.MapRequest{
		{Product: credit.VegetationIndexMap, SeasonID: season.ID, Index: vegetation.NDVI},
		{Product: credit.ZoningMap, SeasonID: season.ID, Index: vegetation.NDVI},
		{Product: credit.ElevationMap},
	} {
		have, err := f.Maps.List(ctx, f.owner, wanted.Product, false, ports.Query{Filters: []ports.Filter{{Name: "field", Value: field.ID}}})
		if err != nil {
			return err
		}
		if have.Count > 0 {
			continue
		}
		wanted.FieldUUID = field.UUID
		if _, err := f.Maps.Place(ctx, f.owner, wanted, 0); err != nil {
			return err
		}
	}
	return nil
}

const (
	patience  = 10 * time.Minute       // the demonstration's results take seconds to compute
	lookEvery = 200 * time.Millisecond // interval between checks for a result
)

// await polls until something exists.
func await(ctx context.Context, there func(ctx context.Context) (bool, error)) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if ok, err := there(ctx); err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
