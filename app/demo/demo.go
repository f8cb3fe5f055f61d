// Package demo loads the demonstration company: people, a farm on the synthetic archive, a season, cultivations, a price and credit;
// and, while the server is up, the results computed from them: profiles of two seasons, maps of a field, assessments, zones with a
// plan and results. It uses the same use cases as everybody else. When started again it adds only what was never there: what the
// user deleted stays deleted.
package demo

import (
	"context"
	"strings"
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

// Names of the demonstration. The password is public: the demo listens only on the machine itself unless configured otherwise.
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

// Plan describes what to load.
type Plan struct {
	Parcels  []Parcel
	From, To time.Time
	// Before makes the imagery of the season before, and returns that season with its crops; nil: there is no such season.
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

// Load sets up the demonstration. What the user deleted, renamed or erased is not made again; if the owner was erased,
// the demonstration is left as it is.
func (l *Loader) Load(ctx context.Context, plan Plan) error {
	owner, there, err := l.people(ctx)
	if err != nil || !there {
		return err
	}
	who := asUser(owner)
	if err := l.money(ctx, who); err != nil {
		return err
	}
	if err := l.land(ctx, who, plan); err != nil {
		return err
	}
	return l.stratify(ctx, who)
}

// asUser returns the principal under which a user calls use cases.
func asUser(u ports.User) access.Principal {
	return access.Principal{UserID: u.ID, Name: u.Name, Email: u.Email, CompanyID: u.CompanyID}
}

// staff are the people of the demonstration, in order of creation.
var staff = []operating.NewUser{
	{Email: OwnerMail, Name: "Olivia Owner", Role: access.RoleOwner},
	{Email: EditorMail, Name: "Emil Editor", Role: access.RoleEditor},
	{Email: ViewerMail, Name: "Vera Viewer", Role: access.RoleViewer},
}

// people makes the company and its staff, and returns the owner; there is false if the owner was erased. An erased account
// stays under another name, so a missing person was never made only if the company has fewer accounts.
func (l *Loader) people(ctx context.Context) (owner ports.User, there bool, err error) {
	companyID, err := l.company(ctx)
	if err != nil {
		return owner, false, err
	}
	for i, u := range staff {
		members, err := l.Operating.Users(ctx, ports.Query{Filters: []ports.Filter{{Name: "company", Value: companyID}}})
		if err != nil {
			return owner, false, err
		}
		if members.Count > int64(i) {
			continue
		}
		u.CompanyID, u.Password = companyID, Password
		if _, err := l.Operating.CreateUser(ctx, u); err != nil {
			return owner, false, err
		}
	}
	return l.user(ctx, OwnerMail)
}

// company returns the id of the demonstration's company, which may have another name by now, or another owner.
func (l *Loader) company(ctx context.Context) (int64, error) {
	if owner, there, err := l.user(ctx, OwnerMail); err != nil || there {
		return owner.CompanyID, err
	}
	all, err := l.Operating.Companies(ctx, ports.Query{})
	if err != nil {
		return 0, err
	}
	for one, err := range all.Each {
		if err != nil || one.Name == Company {
			return one.ID, err
		}
	}
	made, err := l.Operating.CreateCompany(ctx, Company)
	return made.ID, err
}

// user returns a person of the demonstration; there is false where nobody has the address any more.
func (l *Loader) user(ctx context.Context, mail string) (user ports.User, there bool, err error) {
	user, err = l.Operating.User(ctx, mail)
	if fault.Is(err, fault.NotFound) {
		return user, false, nil
	}
	return user, err == nil, err
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
	holding, there, err := ensure(ctx, l, who, l.farmsKept(), farm.Farm{
		Name: "Demo farm", Description: note, Country: "spain", Timezone: "Europe/Madrid", UnitSystem: "metric",
		External: keyOf("farm"),
	})
	if err != nil || !there {
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

// season returns the season that ends in the year of a day; it has no id if the user deleted it.
func (l *Loader) season(ctx context.Context, who access.Principal, from, to time.Time) (farm.Season, error) {
	season, there, err := ensure(ctx, l, who, l.seasonsKept(), farm.Season{
		Name: to.Format("Season 2006"), StartDate: from, EndDate: to, Kind: "summer", External: keyOf(to.Format("season-2006")),
	})
	if !there {
		season.ID = 0
	}
	return season, err
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
	field, there, err := ensure(ctx, l, who, l.fieldsKept(), farm.Field{
		Name: p.Name, Farm: record.Ref{ID: holding.ID}, Boundary: &boundary, BoundaryMethod: "manual", Notes: note,
		External: keyOf("field-" + strings.ReplaceAll(strings.ToLower(p.Name), " ", "-")),
	})
	if err != nil || !there {
		return err
	}
	return l.sow(ctx, who, field, season, crop)
}

// sow records what grows on a field in a season, unless somebody has recorded it, or has deleted such a record.
func (l *Loader) sow(ctx context.Context, who access.Principal, field farm.Field, season farm.Season, crop int64) error {
	if season.ID == 0 || crop == 0 {
		return nil
	}
	ofField := ports.Query{Filters: []ports.Filter{{Name: "field", Value: field.ID}, {Name: "season", Value: season.ID}}}
	sown, err := l.Cultivations.List(ctx, who, false, ofField)
	if err != nil || sown.Count > 0 {
		return err
	}
	inStore := func(tx ports.Repos) ports.Records[farm.Cultivation] { return tx.Cultivations }
	if gone, err := deleted(ctx, l, who, inStore, ofField, func(farm.Cultivation) bool { return true }); err != nil || gone {
		return err
	}
	_, err = l.Cultivations.Create(ctx, who, []farmapp.Draft[farm.Cultivation]{{Record: farm.Cultivation{
		Field: record.Ref{ID: field.ID}, Season: record.Ref{ID: season.ID}, Crop: record.Ref{ID: crop},
	}}}, false)
	return err
}

// pricePerHa is what the stratification of the demonstration costs per hectare.
const pricePerHa credit.Amount = 2_50

// areaName is the name of the demonstration's area of interest.
const areaName = "All parcels"

// stratify subscribes the company to stratification, prices it, and makes an area of interest of all parcels, so that
// it can be ordered at once. It does so only once: a subscription that was ended later stays ended.
func (l *Loader) stratify(ctx context.Context, who access.Principal) error {
	area := stratification.AOI{Name: areaName, Description: note, External: keyOf("all-parcels")}
	if _, there, gone, err := find(ctx, l, who, l.areasKept(), area); err != nil || there || gone {
		return err
	}
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
		return nil // the user removed the parcels
	}
	_, _, err = ensure(ctx, l, who, l.areasKept(), area)
	return err
}
