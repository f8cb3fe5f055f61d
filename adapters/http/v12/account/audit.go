package account

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	auditapp "tilth/app/audit"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// AuditEntry is one changed record.
type AuditEntry struct {
	ID       int64              `json:"id" doc:"Id of the entry."`
	At       time.Time          `json:"at" doc:"When the change was made."`
	User     *form.Ref          `json:"user" doc:"Who did it; null for the operator's command line."`
	Actor    string             `json:"actor" doc:"Who did it, in words: the user's name, or the operator's command line."`
	Operator bool               `json:"operator" doc:"The user is an operator, acting inside your company."`
	APIKey   *int64             `json:"api_key" doc:"Id of the API key that was used; null for an access token."`
	Action   string             `json:"action" doc:"create, update, delete, restore, or another action of the resource, as accept."`
	Resource string             `json:"resource" doc:"As in the permission slugs: field, cultivation, share_grant, …"`
	Record   int64              `json:"record" doc:"Id of the record."`
	Changes  []form.AuditChange `json:"changes" doc:"In the order of the record. Empty for what was deleted along with another record."`
}

func registerAudit(a *rest.API, t *auditapp.Trail) {
	a.DescribeTag("Audit trail", "Who changed what, when, and from which value to which. It is append-only.\n\n"+
		"Its permission `audit.view` is not part of `*.view`: of the roles that every company starts with, only owner has it.")
	list := rest.Route{
		Method: http.MethodGet, Path: "audit/", OperationID: "audit_list", Summary: "List the audit trail, newest first",
		Tag: "Audit trail", Permission: access.AuditTrail.View.For("list"),
		Query: append(query.CursorParams(),
			rest.Param{Name: "resource", Type: rest.String, Description: "As in the permission slugs."},
			rest.Param{Name: "record", Type: rest.Integer, Description: "Id of the record."},
			rest.Param{Name: "user", Type: rest.Integer, Description: "Id of the user."},
			rest.Param{Name: "action", Type: rest.String, Description: "What was done, as update."},
			rest.Param{Name: "since", Type: rest.Timestamp, Description: "At or after this time."},
			rest.Param{Name: "until", Type: rest.Timestamp, Description: "At or before this time."}),
	}
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in auditInput) (rest.List[AuditEntry], error) {
		return form.List(in.PageOrAll(), showEntry)(t.List(ctx, c.Principal(), in.query()))
	})
}

type auditInput struct {
	rest.Values
	Resource string     `query:"resource"`
	Record   *int64     `query:"record"`
	User     *int64     `query:"user"`
	Action   string     `query:"action"`
	Since    *time.Time `query:"since"`
	Until    *time.Time `query:"until"`
}

func (in auditInput) query() ports.AuditQuery {
	return ports.AuditQuery{
		Resource: in.Resource, RecordID: idFilter(in.Record), UserID: idFilter(in.User), Action: audit.Action(in.Action),
		Since: in.Since, Until: in.Until, Limit: in.PageOrAll().Limit(), Offset: in.PageOrAll().Offset(), From: form.From(in.PageOrAll()),
	}
}

func showEntry(e audit.Entry) AuditEntry {
	return AuditEntry{
		ID: e.ID, At: e.At, User: form.Pointed(e.User, form.Named), Actor: e.Actor(), Operator: e.Operator, APIKey: form.OrNull(e.KeyID),
		Action: string(e.Action), Resource: e.Resource, Record: e.RecordID,
		Changes: form.Each(e.Changes, form.ChangeOf),
	}
}
