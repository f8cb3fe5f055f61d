// Package demo loads the demonstration company: people, a farm on the synthetic archive, a season, cultivations, a
// price and credit; and what is computed of them, while the server is up: profiles of two seasons, maps of a field, assessments,
// zones with a plan and results. It uses the same use cases as everybody else, and started again it adds only what is missing.
package demo

import (
	"context"
	"time"

	"tilth/app"
	farmapp "tilth/app/farm"
	ghgapp "tilth/app/ghg"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/ports"
)

// Names of the demonstration. The password is public: the demo listens on the machine itself unless told otherwise.
const (
	Company    = "Tilth Demo (synthetic data)"
	Password   = "tilth-demo-2025"
	OwnerMail  = "owner@demo.example"
	EditorMail = "editor@demo.example"
	ViewerMail = "viewer@demo.example"
	note       = "Demonstration data: the imagery of this farm is synthetic."
	source     = "tilth-demo"
)

// Parcel is a piece of the synthetic archive that becomes a field.
type Parcel struct {
	Name     string
	CropSlug string
	Boundary geo.MultiPolygon
}

// Plan is what to load.
type Plan struct {
	Parcels  []Parcel
	From, To time.Time
	// Before makes the imagery of the season before, and says what grew in it; nil: there is no such season.
	Before func(ctx context.Context) (Season, error)
}

// Season is a season, and the slug of the crop of each parcel in it, by the parcel's name.
type Season struct {
	From, To time.Time
	Crops    map[string]string
}

// Loader loads the demonstration.
type Loader struct {
	Operating    *operating.Operating
	Store        ports.Store
	Farms        *farmapp.Records[farm.Farm]
	Fields       *farmapp.Records[farm.Field]
	Seasons      *farmapp.Records[farm.Season]
	Cultivations *farmapp.Records[farm.Cultivation]
	Crops        *farmapp.Crops
	AOIs         *soil.AOIs

	Profiles    *satellite.Profiles
	Maps        *satellite.Maps
	Assessments *ghgapp.Assessments
	Zones       *soil.Orders
	ZoneMaps    *soil.Maps
	Plans       *soil.Plans
	Samples     *soil.Samples
}

// Load brings the demonstration up and gives its owner.
func (l *Loader) Load(ctx context.Context, plan Plan) (ports.User, error) {
	owner, err := l.people(ctx)
	if err != nil {
		return owner, err
	}
	who := asUser(owner)
	if err := l.money(ctx, who); err != nil {
		return owner, err
	}
	if err := l.land(ctx, who, plan); err != nil {
		return owner, err
	}
	return owner, l.stratify(ctx, who)
}

// asUser returns a user as who calls use cases.
func asUser(u ports.User) access.Principal {
	return access.Principal{UserID: u.ID, Name: u.Name, Email: u.Email, CompanyID: u.CompanyID}
}

func (l *Loader) people(ctx context.Context) (ports.User, error) {
	owner, err := l.Operating.User(ctx, OwnerMail)
	if fault.Is(err, fault.NotFound) {
		company, err := l.Operating.CreateCompany(ctx, Company)
		if err != nil {
			return owner, err
		}
		owner, err = l.Operating.CreateUser(ctx, operating.NewUser{
			CompanyID: company.ID, Email: OwnerMail, Name: "Olivia Owner", Role: access.RoleOwner, Password: Password,
		})
		if err != nil {
			return owner, err
		}
	} else if err != nil {
		return owner, err
	}
	for _, u := range []operating.NewUser{
		{Email: EditorMail, Name: "Emil Editor", Role: access.RoleEditor},
		{Email: ViewerMail, Name: "Vera Viewer", Role: access.RoleViewer},
	} {
		u.CompanyID, u.Password = owner.CompanyID, Password
		if _, err := l.Operating.User(ctx, u.Email); !fault.Is(err, fault.NotFound) {
			if err != nil {
				return owner, err
			}
			continue
		}
		if _, err := l.Operating.CreateUser(ctx, u); err != nil {
			return owner, err
		}
	}
	return owner, nil
}

// money sets the price and credits the wallet, once.
func (l *Loader) money(ctx context.Context, who access.Principal) error {
	ledger, err := app.In(ctx, l.Store.Read, func(ctx context.Context, tx ports.Repos) (int64, error) {
		return tx.Wallet.CountTransactions(ctx, who.Scope(false), ports.Query{})
	})
	if err != nil || ledger > 0 {
		return err
	}
	if err := l.Operating.SetPrice(ctx, credit.ServiceProfile, credit.DefaultProfilePrice); err != nil {
		return err
	}
	_, err = l.Operating.CreditWallet(ctx, who.CompanyID, 1000_00, "Demonstration credit")
	return err
}

func (l *Loader) land(ctx context.Context, who access.Principal, plan Plan) error {
	holding, err := ensure(ctx, l.Farms, who, func(f farm.Farm) string { return f.Name }, farm.Farm{
		Name: "Demo farm", Description: note, Country: "spain", Timezone: "Europe/Madrid", UnitSystem: "metric",
		External: record.External{Source: source},
	})
	if err != nil {
		return err
	}
	season, err := l.season(ctx, who, plan.From, plan.To)
	if err != nil {
		return err
	}
	bySlug, err := l.crops(ctx, who)
	if err != nil {
		return err
	}
	for _, p := range plan.Parcels {
		if err := l.parcel(ctx, who, p, holding, season, bySlug[p.CropSlug]); err != nil {
			return err
		}
	}
	return nil
}

// season returns the season that ends in the year of a day.
func (l *Loader) season(ctx context.Context, who access.Principal, from, to time.Time) (farm.Season, error) {
	return ensure(ctx, l.Seasons, who, func(s farm.Season) string { return s.Name }, farm.Season{
		Name: to.Format("Season 2006"), StartDate: from, EndDate: to, Kind: "summer", External: record.External{Source: source},
	})
}

// crops returns the ids of crops by their slugs.
func (l *Loader) crops(ctx context.Context, who access.Principal) (map[string]int64, error) {
	all, err := l.Crops.List(ctx, who, ports.Query{})
	if err != nil {
		return nil, err
	}
	bySlug := map[string]int64{}
	for c, err := range all.Each {
		if err != nil {
			return nil, err
		}
		bySlug[c.Slug] = c.ID
	}
	return bySlug, nil
}

func (l *Loader) parcel(ctx context.Context, who access.Principal, p Parcel, holding farm.Farm, season farm.Season, crop int64) error {
	boundary, err := geo.NewBoundary(nil, p.Boundary, geo.DefaultLimits())
	if err != nil {
		return err
	}
	field, err := ensure(ctx, l.Fields, who, func(f farm.Field) string { return f.Name }, farm.Field{
		Name: p.Name, Farm: record.Ref{ID: holding.ID}, Boundary: &boundary, BoundaryMethod: "manual", Notes: note,
		External: record.External{Source: source},
	})
	if err != nil {
		return err
	}
	sown, err := l.Cultivations.List(ctx, who, false, ports.Query{Filters: []ports.Filter{{Name: "field", Value: field.ID}}})
	if err != nil || sown.Count > 0 {
		return err
	}
	_, err = l.Cultivations.Create(ctx, who, []farmapp.Draft[farm.Cultivation]{{Record: farm.Cultivation{
		Field: record.Ref{ID: field.ID}, Season: record.Ref{ID: season.ID}, Crop: record.Ref{ID: crop},
	}}}, false)
	return err
}

// ensure returns the record of that name, made where there is none.
func ensure[T any](ctx context.Context, records *farmapp.Records[T], who access.Principal, name func(T) string, wanted T) (T, error) {
	have, err := records.List(ctx, who, false, ports.Query{})
	if err != nil {
		return wanted, err
	}
	for record, err := range have.Each {
		if err != nil {
			return wanted, err
		}
		if name(record) == name(wanted) {
			return record, nil
		}
	}
	made, err := records.Create(ctx, who, []farmapp.Draft[T]{{Record: wanted}}, false)
	if err != nil {
		return wanted, err
	}
	return made[0], nil
}

// pricePerHa is what the stratification of the demonstration costs per hectare.
const pricePerHa credit.Amount = 2_50

// areaName is the name of the demonstration's area of interest.
const areaName = "All parcels"

// stratify subscribes the company to stratification, prices it, and makes an area of interest of
// all parcels, so that it can be ordered at once. What is there already is left as it is.
func (l *Loader) stratify(ctx context.Context, who access.Principal) error {
	subscribed, priced := true, false
	err := l.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		_, err := tx.Subscriptions.Get(ctx, who.CompanyID, access.Stratification)
		if subscribed = err == nil; err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		_, priced, err = tx.Wallet.Price(ctx, credit.ServiceSTR)
		return err
	})
	if err != nil {
		return err
	}
	if !subscribed {
		if _, err := l.Operating.Subscribe(ctx, who.CompanyID, access.Stratification, nil); err != nil {
			return err
		}
	}
	if !priced {
		if err := l.Operating.SetPrice(ctx, credit.ServiceSTR, pricePerHa); err != nil {
			return err
		}
	}
	area := stratification.AOI{Name: areaName, Description: note}
	fields, err := l.Fields.List(ctx, who, false, ports.Query{})
	if err != nil {
		return err
	}
	for f, err := range fields.Each {
		if err != nil {
			return err
		}
		if f.Source == source && f.Boundary != nil { // a parcel of the demonstration
			area.Fields = append(area.Fields, stratification.AOIField{UUID: f.UUID})
		}
	}
	if len(area.Fields) == 0 {
		return nil // the user took the parcels away
	}
	_, err = ensure(ctx, l.AOIs.Records, who, func(a stratification.AOI) string { return a.Name }, area)
	return err
}
