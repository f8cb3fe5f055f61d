package account

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/ports"
)

// ShareGrantWrite is an offer of a share grant.
type ShareGrantWrite struct {
	GranteeUUID string       `json:"grantee_uuid" format:"uuid" doc:"The company that is to read, by its uuid, which it gives to those that it works with. Companies are never listed."`
	Target      string       `json:"target" enum:"field,farm,all" doc:"One field; one farm with all of its fields, also later ones; or everything."`
	FarmID      *int64       `json:"farm_id" required:"false" minimum:"1" doc:"For the target farm."`
	FieldID     *int64       `json:"field_id" required:"false" minimum:"1" doc:"For the target field."`
	Slugs       *[]string    `json:"slugs" required:"false" maxItems:"20" doc:"What is given: some of farm.view, field.view, season.view, cultivation.view, fertilization.view (these five by default), assessment.view, vi-profile.view, vi-map.view, zoning-map.view, elevation-map.view, soil-map.view, aoi.view, stratification_map.view, sample_plan_map.view and sample.view; and together with field.view also vi-profile.create, vi-map.create, zoning-map.create, elevation-map.create and soil-map.create: to order profiles or maps at the grantee's own cost."`
	EndsOn      *member.Date `json:"ends_on" required:"false" doc:"Last day, in UTC; without one the grant has no end."`
	form.External
}

// Party is a company of a grant.
type Party struct {
	ID   int64  `json:"id" doc:"Id of the company."`
	UUID string `json:"uuid" format:"uuid" doc:"The company's uuid, which share grants are offered to."`
	Name string `json:"name" doc:"Name of the company."`
}

// ShareGrant is a share grant as its two companies see it.
type ShareGrant struct {
	ID        int64        `json:"id" doc:"Id of the grant; both companies know it by this."`
	CreatedAt time.Time    `json:"created_at" doc:"When the record was made."`
	UpdatedAt time.Time    `json:"updated_at" doc:"When the record was last written."`
	CreatedBy *form.Ref    `json:"created_by" doc:"Who made the record; null where that user is gone."`
	Company   Party        `json:"company" doc:"The company that shares."`
	Grantee   Party        `json:"grantee" doc:"The company that is shared with."`
	Direction string       `json:"direction" enum:"given,received" doc:"As seen by the caller's company."`
	Target    string       `json:"target" enum:"field,farm,all" doc:"One field; one farm with all of its fields, also later ones; or everything."`
	Farm      *form.Ref    `json:"farm" doc:"Of the target farm. Null for the grantee once the grant has ended."`
	Field     *form.Ref    `json:"field" doc:"Of the target field. Null for the grantee once the grant has ended."`
	Slugs     []string     `json:"slugs" doc:"What the grantee may view; with the slugs that end in .create it may order profiles or maps at its own cost."`
	Status    string       `json:"status" enum:"pending,accepted,declined,revoked,expired" doc:"pending: the grantee has not answered. accepted: it is in force. declined by the grantee, revoked by the company that shares, or expired: its last day has passed."`
	EndsOn    *member.Date `json:"ends_on" doc:"Last day, in UTC; null: the grant has no end."`
	form.External
}

func showGrant(g access.Grant, seenBy int64) ShareGrant {
	return ShareGrant{
		ID: g.ID, CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt, CreatedBy: form.Pointed(g.CreatedBy, form.Named),
		Company: Party(g.Grantor), Grantee: Party(g.Grantee), Target: string(g.Target),
		Direction: map[bool]string{true: "received", false: "given"}[seenBy == g.Grantee.ID],
		Farm:      form.Pointed(g.Farm, form.Named), Field: form.Pointed(g.Field, form.Named), Slugs: form.Strings(g.Slugs),
		Status: string(g.Status), EndsOn: form.DateOf(g.EndsOn), External: form.ExternalOf(g.External),
	}
}

func registerShareGrants(a *rest.API, s *account.Sharing) {
	a.DescribeTag("Sharing", "Share grants: read access of one company to records of another, once it has accepted.\n\n"+
		"A live grant shows records under `?share=true`, for reading only: a write is answered with 404. A grant on a field shows the field "+
		"with the seasons and cultivations on it; a grant on a farm also shows the farm itself. A record names the others it belongs to by id and name, "+
		"even where those are not shared.\n\n"+
		"An area of interest is shared by `aoi.view` where every field in it that is not deleted is; its saved maps, saved plans and samples, by their own slugs, where "+
		"all of that and every field of the order's land is. The grantee needs a subscription of its own to stratification for areas of interest.\n\n"+
		"The one exception to reading is ordering, by `vi-profile.create` and the `.create` slugs of maps: the grantee orders profiles or maps of the fields, for seasons of its own and from its own wallet. Such an order "+
		"is the grantee's; the company that shares sees nothing of it. It is listed with and without `?share=true`, so that `?share=true` lists all profiles or maps of the fields that "+
		"many companies share. When the grant ends, or the field is deleted, the order is hidden and no longer kept up to date, and an open one fails and releases what it held; "+
		"a new grant shows it again. See `docs/sharing.md`.")
	a.DescribeCodes(map[string]string{
		"share_grant_state": "the state of the grant, in details.status, does not allow it (409)",
	})
	list := grantRoute(http.MethodGet, "", access.ShareGrants.View.For("list"), "List share grants")
	list.Description = "The grants that your company gives, and those it is offered."
	list.Query = append(form.WithExternalID(query.CursorParams()),
		rest.Param{Name: "direction", Type: rest.String, Enum: []string{"given", "received"}, Description: "Only those given, or only those received."},
		rest.Param{Name: "status", Type: rest.String, Enum: form.Strings(access.GrantStatuses), Description: "State of the grant."},
		rest.Param{Name: "farm", Type: rest.Integer, Description: "Id of the target farm."},
		rest.Param{Name: "field", Type: rest.Integer, Description: "Id of the target field."})
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in grantsInput) (rest.List[ShareGrant], error) {
		by := c.Principal().CompanyID
		show := func(g access.Grant) ShareGrant { return showGrant(g, by) }
		return form.List(in.PageOrAll(), show)(s.List(ctx, c.Principal(), in.query()))
	})
	rest.Handle(a, grantRoute(http.MethodGet, "{id}/", access.ShareGrants.View.For("retrieve"), "Retrieve a share grant"),
		onGrant(s.Retrieve))
	create := grantRoute(http.MethodPost, "", access.ShareGrants.Create.For("create"), "Offer a share grant")
	create.Message = "Share grant offered."
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in rest.JSON[ShareGrantWrite]) (ShareGrant, error) {
		grant, err := s.Create(ctx, c.Principal(), requestOf(in.Body))
		return showGrant(grant, c.Principal().CompanyID), err
	})
	revoke := grantRoute(http.MethodDelete, "{id}/", access.ShareGrants.Delete.For("destroy"), "Revoke a share grant")
	revoke.Description = "For the company that shares. The grant stays listed, as revoked."
	revoke.Status, revoke.Faults = http.StatusNoContent, []int{http.StatusConflict}
	rest.Handle(a, revoke, form.Remove(s.Revoke))
	revokeMany := grantRoute(http.MethodDelete, "", access.ShareGrants.Delete.For("destroy_many"), "Revoke share grants")
	revokeMany.Faults = revoke.Faults
	form.DeleteEach(a, revokeMany, "share grants", s.Together, s.Revoke)
	accept := grantRoute(http.MethodPost, "{id}/accept/", access.ShareGrants.Edit.For("accept"), "Accept a share grant")
	accept.Description, accept.Faults = answerText, []int{http.StatusConflict}
	rest.Handle(a, accept, onGrant(s.Accept))
	decline := grantRoute(http.MethodPost, "{id}/decline/", access.ShareGrants.Edit.For("decline"), "Decline a share grant")
	decline.Description, decline.Faults = answerText, []int{http.StatusConflict}
	rest.Handle(a, decline, onGrant(s.Decline))
}

const answerText = "For the company that the grant is offered to, while it is pending."

var grantRoute = rest.Routes{Base: "share-grant/", Operation: "share_grant", Tag: "Sharing", Noun: "share grant"}.Route

// onGrant returns the handler of a route that performs one action on a grant and answers with the grant.
func onGrant(
	use func(context.Context, access.Principal, int64) (access.Grant, error),
) func(context.Context, *rest.Call, form.ByID) (ShareGrant, error) {
	return func(ctx context.Context, c *rest.Call, in form.ByID) (ShareGrant, error) {
		grant, err := use(ctx, c.Principal(), in.ID)
		return showGrant(grant, c.Principal().CompanyID), err
	}
}

type grantsInput struct {
	rest.Values
	Direction string `query:"direction"`
	Status    string `query:"status"`
	Farm      *int64 `query:"farm"`
	Field     *int64 `query:"field"`
	form.Keys
}

func (in grantsInput) query() ports.GrantQuery {
	return ports.GrantQuery{
		Given: in.Direction == "given", Received: in.Direction == "received", Status: access.GrantStatus(in.Status),
		Farm: idFilter(in.Farm), Field: idFilter(in.Field), IDs: in.IDs, Keys: in.ExternalIDs, Limit: in.PageOrAll().Limit(), Offset: in.PageOrAll().Offset(),
		From: form.From(in.PageOrAll()),
	}
}

// idFilter returns the id that a filter names: 0 if none is given. For 0, which cannot be an id, it
// returns one that no record has, so that the filter matches nothing.
func idFilter(given *int64) int64 {
	if given != nil && *given == 0 {
		return -1
	}
	return form.OrZero(given)
}

func requestOf(in ShareGrantWrite) account.ShareRequest {
	out := account.ShareRequest{
		GranteeUUID: strings.ToLower(in.GranteeUUID), Target: access.GrantTarget(in.Target), EndsOn: form.TimeOf(in.EndsOn),
		FarmID: form.OrZero(in.FarmID), FieldID: form.OrZero(in.FieldID), External: in.External.Record(),
	}
	if in.Slugs != nil {
		out.Slugs = form.Each(*in.Slugs, func(slug string) access.Slug { return access.Slug(slug) })
	}
	return out
}
