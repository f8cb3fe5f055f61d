package operator

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/ports"
)

// OperatorCompany is a company as operators see it.
type OperatorCompany struct {
	ID            int64          `json:"id" doc:"Id of the company; X-Company takes it."`
	UUID          string         `json:"uuid" format:"uuid" doc:"The uuid by which other companies name it, as in share grants."`
	Name          string         `json:"name" doc:"Name of the company."`
	CreatedAt     time.Time      `json:"created_at" doc:"When the company was made."`
	Users         int64          `json:"users" doc:"How many users it has, disabled ones included."`
	Wallet        form.Wallet    `json:"wallet" doc:"Its credit."`
	Subscriptions []Subscription `json:"subscriptions" doc:"What it subscribes to, or subscribed to until a day that has passed."`
}

// Subscription is a company's subscription to a service.
type Subscription struct {
	Company   int64        `json:"company" doc:"Id of the company."`
	Service   string       `json:"service" enum:"stratification" doc:"The service."`
	Until     *member.Date `json:"until" doc:"Its last day, UTC; null: without end."`
	GrantedAt time.Time    `json:"granted_at" doc:"When it was granted in its present form."`
}

// OperatorCompanyWrite is the writable form of a company.
type OperatorCompanyWrite struct {
	Name string `json:"name" minLength:"1" maxLength:"255" doc:"Name of the company, unique in the installation."`
}

// SubscriptionWrite is the writable form of a subscription.
type SubscriptionWrite struct {
	Until *member.Date `json:"until" required:"false" doc:"Its last day, UTC; left out or null: without end."`
}

func showCompany(c ports.CompanySeen) OperatorCompany {
	return OperatorCompany{c.ID, c.UUID, c.Name, c.CreatedAt, c.Users, form.WalletOf(c.Wallet), form.Each(c.Subscriptions, showSubscription)}
}

func showSubscription(s ports.Subscription) Subscription {
	return Subscription{s.CompanyID, string(s.Service), form.DateOf(s.Until), s.GrantedAt}
}

func registerCompanies(a *rest.API, o *operating.Operating) {
	r := route("company/", "company", "company")
	filters := []rest.Param{
		form.IDsParam,
		{Name: "name", Type: rest.String, Description: "The whole name of a company."},
		{Name: "uuid", Type: rest.UUID, Description: "The UUID of a company."},
		{Name: "service", Type: rest.String, Enum: services, Description: "Companies that subscribe to this service, or did."},
	}
	form.HandleList(a, r(http.MethodGet, "", "list", "List companies"), filters, all(o, (*operating.Operating).Companies), showCompany)
	rest.Handle(a, r(http.MethodGet, "{id}/", "retrieve", "Retrieve a company"), on(o, (*operating.Operating).CompanySeen, showCompany))
	create := r(http.MethodPost, "", "create", "Create a company")
	create.Message, create.Faults = "Company created.", []int{http.StatusConflict}
	create.Description = "It has the roles owner, editor and viewer, and no users yet."
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in rest.JSON[OperatorCompanyWrite]) (OperatorCompany, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return OperatorCompany{}, err
		}
		made, err := op.CreateCompany(ctx, in.Body.Name)
		return showCompany(ports.CompanySeen{Company: made}), err
	})
	rename := r(http.MethodPatch, "{id}/", "partial_update", "Rename a company")
	rename.Message, rename.Faults = "Company updated.", []int{http.StatusConflict}
	rest.Handle(a, rename, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		Body OperatorCompanyWrite `body:"json"`
	}) (OperatorCompany, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return OperatorCompany{}, err
		}
		renamed, err := op.RenameCompany(ctx, in.ID, in.Body.Name)
		return showCompany(renamed), err
	})
}

// services are the services that companies can subscribe to.
var services = []string{string(access.Stratification)}

// ofService is the input of a route on one subscription.
type ofService struct {
	form.ByID
	Service string `path:"service"`
}

func registerSubscriptions(a *rest.API, o *operating.Operating) {
	r := route("company/{id}/subscription/", "subscription", "company")
	rest.Handle(a, r(http.MethodGet, "", "list", "List the subscriptions of a company"),
		on(o, (*operating.Operating).Subscriptions, func(all []ports.Subscription) []Subscription { return form.Each(all, showSubscription) }))
	grant := r(http.MethodPut, "{service}/", "update", "Subscribe a company to a service")
	grant.Message = "Subscription granted."
	grant.Description = "It replaces the existing subscription of the company. The service is `" + string(access.Stratification) + "`."
	rest.Handle(a, grant, func(ctx context.Context, c *rest.Call, in struct {
		ofService
		Body SubscriptionWrite `body:"json"`
	}) (Subscription, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return Subscription{}, err
		}
		granted, err := op.Subscribe(ctx, in.ID, access.Service(in.Service), form.TimeOf(in.Body.Until))
		return showSubscription(granted), err
	})
	end := r(http.MethodDelete, "{service}/", "destroy", "End a subscription at once")
	end.Status, end.Faults = http.StatusNoContent, []int{http.StatusBadRequest}
	end.Description = "What the company has paid for remains readable."
	rest.Handle(a, end, func(ctx context.Context, c *rest.Call, in ofService) (rest.NoContent, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return rest.NoContent{}, err
		}
		return rest.NoContent{}, op.Unsubscribe(ctx, in.ID, access.Service(in.Service))
	})
}
