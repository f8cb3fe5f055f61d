// Package v12 is version 1.2 of the interface: one file a resource, each with its
// wire form, the mapping to and from the core's records, and its routes. It decides
// nothing: rules are the core's and the use cases'.
package v12

import (
	"context"
	"slices"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app"
	"tilth/app/account"
	auditapp "tilth/app/audit"
	"tilth/app/events"
	farmapp "tilth/app/farm"
	ghgapp "tilth/app/ghg"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
)

// Deps is what the interface offers.
type Deps struct {
	Identity     *account.Identity
	Farms        *farmapp.Records[farm.Farm]
	Fields       *farmapp.Records[farm.Field]
	Seasons      *farmapp.Records[farm.Season]
	Cultivations *farmapp.Records[farm.Cultivation]
	Crops        *farmapp.Crops

	Fertilizations *farmapp.Records[farm.Fertilization]
	Boundaries     *farmapp.Boundaries

	Orders   *satellite.Profiles
	Files    *satellite.ProfileFiles
	Intake   *farmapp.Imports
	Sharing  *account.Sharing
	Keys     *account.Keys
	Trail    *auditapp.Trail
	People   *account.People
	Events   *events.Feed
	Webhooks *events.Webhooks

	Assessing *ghgapp.Assessments
	Overview  *ghgapp.Dashboard
	Verifying *ghgapp.Verification

	AOIs   *soil.AOIs
	Strata *soil.Orders
	Maps   *soil.Maps
	Plans  *soil.Plans

	StratificationFiles *soil.MapFiles
	Bulk                *ghgapp.Batches
	Sampling            *soil.Samples

	Limits geo.Limits
}

// Register adds every route of the version.
func Register(a *rest.API, d Deps) {
	describe(a)
	registerAuth(a, d.Identity)
	registerFarms(a, d.Farms)
	registerFields(a, d.Fields, d.Limits)
	registerBoundaries(a, d.Boundaries)
	registerIntake(a, d.Intake)
	registerSeasons(a, d.Seasons)
	registerCrops(a, d.Crops)
	registerCultivations(a, d.Cultivations)
	registerFertilizations(a, d.Fertilizations)
	registerProfileOrders(a, d.Orders)
	registerProfileFiles(a, d.Files)
	registerQuote(a, d.Orders)
	registerWallet(a, d.Orders)
	registerStatement(a, d.Files)
	registerShareGrants(a, d.Sharing)
	registerAPIKeys(a, d.Keys)
	registerAudit(a, d.Trail)
	registerPeople(a, d.Identity, d.People)
	registerEvents(a, d.Events)
	registerWebhooks(a, d.Webhooks)
	registerDashboard(a, d.Overview)
	registerAssessments(a, d.Assessing)
	registerAOIs(a, d.AOIs, d.Strata)
	registerStratificationOrders(a, d.Strata)
	registerMaps(a, d.Maps)
	registerPlans(a, d.Plans)
	registerStratificationFiles(a, d.StratificationFiles)
	registerVerification(a, d.Verifying)
	registerManyAssessments(a, d.Bulk)
	registerPrefill(a, d.Assessing)
	registerSamples(a, d.Sampling)
}

// describe adds what the document says beside the routes: groups, and the codes of the
// rules.
func describe(a *rest.API) {
	a.DescribeTag("Signing in", "Passwords to tokens. Everything else takes an access token as `Authorization: Bearer …`.")
	a.DescribeTag("Farm management", "Farms, fields, seasons and cultivations of your company, and the crop catalog that all share.")
	a.DescribeTag("Vegetation-index profiles", "The season-long series of a vegetation index for a field, from Sentinel-2.")
	a.DescribeTag("Wallet", "What orders cost: holds, captures and releases in a double-entry ledger.")
	a.DescribeCodes(map[string]string{
		"last_cultivation":     "the only cultivation of a field cannot be deleted (400)",
		"not_deleted":          "what is to be restored is not deleted (400)",
		"parent_deleted":       "what the record to be restored belongs to is deleted; details name the member (400)",
		"season_in_use":        "cultivations use the season, so it cannot be deleted (400)",
		"season_unresolved":    "the season of an order is no season of your company (500, as the interface has it)",
		"duplicate_profile":    "an active profile exists; details hold profile_uuid and order_id; nothing was charged (409)",
		"insufficient_credit":  "details hold required and available (402)",
		"invalid_credentials":  "no active account has this e-mail and password (401)",
		"token_expired":        "the access token has expired (401)",
		"refresh_invalid":      "the refresh token was used, revoked, has expired or never was (401)",
		"user_disabled":        "the user was disabled (401)",
		"objects_unavailable":  "the store of uploaded files cannot be used; try again (503)",
		"export_too_large":     "the fields are too many for one shapefile (400)",
		"database_unavailable": "the database does not answer; try again (503)",
	})
}

// Ref is another record, seen from this one.
type Ref struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func refOf(r record.Ref) Ref { return Ref{r.ID, r.Name} }

// Meta is what every record of a company carries.
type Meta struct {
	ID        int64     `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	CreatedBy *Ref      `json:"created_by" doc:"Who made the record; null where that user is gone."`
	Company   Ref       `json:"company"`
}

func metaOf(m record.Meta) Meta {
	out := Meta{ID: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Company: Ref{m.CompanyID, m.Company}}
	if m.CreatedBy != nil {
		by := refOf(*m.CreatedBy)
		out.CreatedBy = &by
	}
	return out
}

// companyID is the writable form of the company: only the caller's own is accepted.
type companyID struct {
	CompanyID *int64 `json:"company_id" required:"false" minimum:"1" doc:"May be left out; any other company than your own is refused."`
}

func (c companyID) lay(m *record.Meta) {
	m.CompanyID = 0
	if c.CompanyID != nil {
		m.CompanyID = *c.CompanyID
	}
}

func companyOf(m record.Meta) companyID { return companyID{&m.CompanyID} }

// external is where a record came from.
type external struct {
	ExternalID string `json:"external_id" required:"false" maxLength:"255" doc:"The record's key in the system it came from."`
	Source     string `json:"source" required:"false" maxLength:"255"`
}

func (e external) record() farm.External {
	return farm.External{ExternalID: e.ExternalID, Source: e.Source}
}
func externalOf(e farm.External) external { return external{e.ExternalID, e.Source} }

// mapping is how a resource's wire form and its record become each other.
type mapping[T, W, R any] struct {
	lay   func(body W, onto *T) fault.Fields // what the body says, over the record
	write func(T) W                          // the record as a body
	show  func(T) R                          // the record as an answer
}

// register adds a resource of farm management: the use cases of records, in the form
// of a mapping.
func register[T, W, R any](a *rest.API, records *farmapp.Records[T], res rest.Resource[W, R], m mapping[T, W, R]) {
	res.Access = records.Access()
	res.Noun = res.Access.Name
	res.Path = res.Noun + "/"
	res.Tag = "Farm management"
	res.APIKey = true
	res.Filters = append(res.Filters,
		rest.Param{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		rest.Param{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."})

	res.List = func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[R], error) {
		found, err := records.List(ctx, c.Principal(), q.Shared, queryOf(q.Page, res.Filters, q.Values))
		return rest.Map(listed(found), m.show), err
	}
	res.Retrieve = func(ctx context.Context, c *rest.Call, id int64, shared bool) (R, error) {
		record, err := records.Retrieve(ctx, c.Principal(), shared, id)
		return m.show(record), err
	}
	res.Create = func(ctx context.Context, c *rest.Call, decode func() ([]rest.Item[W], bool, error)) ([]R, error) {
		items, bulk, err := decode()
		if err != nil {
			return nil, err
		}
		drafts := make([]farmapp.Draft[T], len(items))
		for i, item := range items {
			if drafts[i].Errors = item.Errors; len(item.Errors) == 0 {
				drafts[i].Errors = m.lay(item.Value, &drafts[i].Record)
			}
		}
		made, err := records.Create(ctx, c.Principal(), drafts, bulk)
		out := make([]R, len(made))
		for i, record := range made {
			out[i] = m.show(record)
		}
		return out, err
	}
	res.Update = func(ctx context.Context, c *rest.Call, id int64, decode func(current W) (W, error)) (R, error) {
		record, err := records.Update(ctx, c.Principal(), id, func(current T) (T, error) {
			if err := precondition(c, current, m.show); err != nil {
				return current, err
			}
			body, err := decode(m.write(current))
			if err != nil {
				return current, err
			}
			err = m.lay(body, &current).Err()
			return current, err
		})
		return m.show(record), err
	}
	res.Delete = func(ctx context.Context, c *rest.Call, id int64) error {
		return records.Delete(ctx, c.Principal(), id, func(current T) error { return precondition(c, current, m.show) })
	}
	res.Restore = func(ctx context.Context, c *rest.Call, id int64) (R, error) {
		record, err := records.Restore(ctx, c.Principal(), id)
		return m.show(record), err
	}
	rest.Register(a, res)
}

// listed gives a list of the use cases to the interface.
func listed[T any](l app.List[T]) rest.Listing[T] {
	return rest.Listing[T]{Count: l.Count, Each: l.Each}
}

// pageOf makes the store's query.
func pageOf(p rest.PageSpec, filters []ports.Filter) ports.Query {
	return ports.Query{Filters: filters, Limit: p.Limit(), Offset: p.Offset()}
}

// filtersOf gives the filters that a caller set, among those declared; partial names
// those that match a part of the text.
func filtersOf(declared []rest.Param, given rest.Values, partial ...string) []ports.Filter {
	all := given.All()
	var out []ports.Filter
	for _, p := range declared {
		switch value := all[p.Name].(type) {
		case nil, []rest.OrderTerm: // an order is no filter
		case time.Time:
			out = append(out, ports.Filter{Name: p.Name, Value: value.Format(time.RFC3339Nano)})
		default:
			out = append(out, ports.Filter{Name: p.Name, Value: value, Partial: slices.Contains(partial, p.Name)})
		}
	}
	return out
}

func dateOf(t *time.Time) *rest.Date {
	if t == nil {
		return nil
	}
	d := rest.DateOf(*t)
	return &d
}

func timeOf(d *rest.Date) *time.Time {
	if d == nil {
		return nil
	}
	t := d.Time()
	return &t
}

// word gives an optional word: null where there is none.
func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
