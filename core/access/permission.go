package access

import (
	"slices"
	"strings"

	"tilth/core/fault"
)

// Slug is the name of a permission: "<resource>.<verb>", for instance "cultivation.view".
type Slug string

// Reads reports whether the slug permits reading only.
func (s Slug) Reads() bool { return strings.HasSuffix(string(s), "."+verbView) }

// Service is something that companies subscribe to.
type Service string

// Stratification is the service of areas of interest, their maps, sample plans and samples.
const Stratification Service = "stratification"

// Permission is what a use case requires of its caller. Permissions exist only in the
// table of this file, so that a misspelt one does not compile.
type Permission struct {
	slug    Slug
	view    string // what a refusal calls the resource: CultivationView
	action  string // what a refusal calls the request: list, partial_update, …
	service Service

	operators bool // no role and no key holds it
}

// Slug returns the slug that a role must grant; empty for the zero Permission.
func (p Permission) Slug() Slug { return p.slug }

// Service returns what the caller's company must also have subscribed to; empty: nothing.
func (p Permission) Service() Service { return p.service }

// Action returns the name of the request that asks; see [Permission.For].
func (p Permission) Action() string { return p.action }

// For returns the permission under the name of the request that asks for it.
func (p Permission) For(action string) Permission { p.action = action; return p }

// PartOf returns the permission as a further requirement of a request: a refusal names the request and view of whole.
func (p Permission) PartOf(whole Permission) Permission {
	p.action, p.view = whole.action, whole.view
	return p
}

// Covers reports whether a caller who has p also has q.
func (p Permission) Covers(q Permission) bool {
	return p.slug == q.slug && (q.service == "" || p.service == q.service)
}

// Unsubscribed refuses a request for want of a subscription, whatever the role.
func (p Permission) Unsubscribed() error {
	return fault.Newf(fault.Forbidden, "subscription_required",
		"Your company has no active subscription to %s; ask the operator for one.", p.service).
		With("service", string(p.service))
}

// Operators reports whether only operators who are signed in as themselves have the permission.
func (p Permission) Operators() bool { return p.operators }

// Denied refuses a request for want of a permission.
func (p Permission) Denied() error {
	if p.operators {
		return fault.New(fault.Forbidden, "operator_required", "Only an operator of the installation may do this, with an access token of their own.").
			With("action", p.action).With("resource", p.view)
	}
	return fault.New(fault.Forbidden, "permission_denied",
		"You do not have permission to perform this action: "+string(p.slug)+" is required.").
		With("required_permission", string(p.slug)).With("action", p.action).With("resource", p.view)
}

// Resource is the permissions on one kind of record.
type Resource struct {
	ReadOnly
	Create, Edit, Delete Permission
}

// ReadOnly is the permission on a kind of record that no caller writes.
type ReadOnly struct {
	Name string // first part of the slugs
	View Permission
}

// Publishable is the permissions on a kind of record that is shown outside the company.
type Publishable struct {
	ReadOnly
	Publish Permission
}

// The table of permissions. Those without a view belong to no route, but roles may hold them.
var (
	APIKeys        = resource("api_key", "APIKeyView")
	Assessments    = resource("assessment", "AssessmentView")
	AuditTrail     = readOnly("audit", "AuditView")
	Crops          = readOnly("crop", "CropView")
	Cultivations   = resource("cultivation", "CultivationView")
	Events         = readOnly("event", "EventView")
	Farms          = resource("farm", "FarmView")
	Fertilizations = resource("fertilization", "FertilizationView")
	Fields         = resource("field", "FieldView")
	ProfileOrders  = resource("vi-profile", "VegetationIndexProfileOrderView")
	Roles          = resource("role", "RoleView")
	VIMaps         = resource("vi-map", "VegetationIndexMapOrderView")
	ZoningMaps     = resource("zoning-map", "ZoningMapOrderView")
	ElevationMaps  = resource("elevation-map", "ElevationMapOrderView")
	SoilMaps       = resource("soil-map", "SoilMapOrderView")
	Seasons        = resource("season", "SeasonView")
	ShareGrants    = resource("share_grant", "ShareGrantView")
	Users          = resource("user", "UserView")
	Wallets        = readOnly("wallet", "WalletView")
	Webhooks       = resource("webhook", "WebhookView")

	// In stratification, creating needs a subscription; reading what was paid for does not.
	AOIs                 = resource("aoi", "AOIView").subscribed()
	Samples              = resource("sample", "SampleView").subscribedToCreate()
	SamplePlans          = resource("sample_plan_map", "SamplePlanMapView").subscribedToCreate()
	StratificationMaps   = resource("stratification_map", "StratificationMapView").subscribedToCreate()
	StratificationOrders = resource("stratification_order", "StratificationOrderView").subscribedToCreate()

	// ImportSamples is the permission to change samples from a file, with a subscription; editing them one by one, as in the field, needs none.
	ImportSamples = Samples.Edit.with(Stratification)
	// SignAssessments is the permission to sign versions that another person submitted.
	SignAssessments = permission("assessment", verbSign, "AssessmentView")
	// The permissions on curves of a company's own labelled fields, by which declared crops are verified.
	MakeCropCurves = permission("cropcheck", verbCreate, "CropCurvesView")
	ViewCropCurves = permission("cropcheck", verbView, "CropCurvesView")

	// Footprints are what clients outside the company see of submitted versions.
	Footprints  = Publishable{readOnly("footprint", "FootprintView"), permission("footprint", verbPublish, "FootprintView")}
	PACTClients = resource("pact_client", "PACTClientView")

	// ExportCompany is the permission to export everything that the company has.
	ExportCompany = permission("company", verbExport, "CompanyExportView")

	// Operate is the permission to look after the installation and its companies.
	Operate = Permission{slug: "operator", view: "OperatorView", operators: true}

	// Invite is the permission to see and to make invitations.
	Invite = Users.Create.PartOf(Permission{view: "InvitationView"})

	_ = readOnly("dashboard", "")
	_ = resource("job", "")
)

// The verbs of slugs.
const (
	verbView   = "view"
	verbCreate = "create"
	verbEdit   = "edit"
	verbDelete = "delete"
	verbSign   = "sign"
	verbExport = "export"

	verbPublish = "publish"
)

var verbs = []string{verbCreate, verbDelete, verbEdit, verbExport, verbPublish, verbSign, verbView}

// verbsOf holds the verbs of each resource; the table of permissions fills it.
var verbsOf = map[string][]string{}

func permission(resource, verb, view string) Permission {
	verbsOf[resource] = append(verbsOf[resource], verb)
	return Permission{slug: Slug(resource + "." + verb), view: view}
}

func readOnly(name, view string) ReadOnly {
	return ReadOnly{name, permission(name, verbView, view)}
}

func resource(name, view string) Resource {
	return Resource{
		readOnly(name, view), permission(name, verbCreate, view), permission(name, verbEdit, view), permission(name, verbDelete, view),
	}
}

func (p Permission) with(s Service) Permission { p.service = s; return p }

func (r Resource) subscribedToCreate() Resource {
	r.Create = r.Create.with(Stratification)
	return r
}

func (r Resource) subscribed() Resource {
	r.View, r.Create = r.View.with(Stratification), r.Create.with(Stratification)
	r.Edit, r.Delete = r.Edit.with(Stratification), r.Delete.with(Stratification)
	return r
}

// KnownSlugs returns every permission slug there is, sorted.
func KnownSlugs() []Slug {
	var out []Slug
	for resource, verbs := range verbsOf {
		for _, verb := range verbs {
			out = append(out, Slug(resource+"."+verb))
		}
	}
	slices.Sort(out)
	return out
}

// Known reports whether there is such a permission slug.
func Known(slug Slug) bool {
	resource, verb, ok := strings.Cut(string(slug), ".")
	return ok && slices.Contains(verbsOf[resource], verb)
}
