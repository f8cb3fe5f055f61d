package account

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/ports"
)

// InvitationWrite invites somebody to the company.
type InvitationWrite struct {
	Email string   `json:"email" format:"email" minLength:"1" maxLength:"254" doc:"Where the invitation is sent; the address that the user will sign in with."`
	Name  *string  `json:"name" required:"false" maxLength:"255" doc:"Name of the invited person, who may replace it."`
	Roles []string `json:"roles" minItems:"1" maxItems:"100" doc:"Names of roles of the company."`
}

// Invitation is an invitation.
type Invitation struct {
	ID         int64      `json:"id" doc:"Id of the invitation."`
	Email      string     `json:"email" doc:"Where the invitation was sent; the address that the user will sign in with."`
	Name       *string    `json:"name" doc:"Name of the invited person; null where none was entered."`
	Roles      []string   `json:"roles" doc:"Names of the roles that the user will have."`
	CreatedAt  time.Time  `json:"created_at" doc:"When the record was made."`
	CreatedBy  *form.Ref  `json:"created_by" doc:"Who made the record; null where that user is gone."`
	ExpiresAt  time.Time  `json:"expires_at" doc:"The time from which it can no longer be accepted."`
	AcceptedAt *time.Time `json:"accepted_at" doc:"When it was accepted; null: not yet."`
	RevokedAt  *time.Time `json:"revoked_at" doc:"When it was withdrawn; null: it was not."`
}

func showInvitation(i ports.Invitation) Invitation {
	return Invitation{
		ID: i.ID, Email: i.Email, Name: form.OrNull(i.Name), Roles: orEmpty(i.Roles), CreatedAt: i.CreatedAt,
		CreatedBy: form.If(i.CreatedBy != 0, form.Ref{ID: i.CreatedBy, Name: i.Inviter}),
		ExpiresAt: i.ExpiresAt, AcceptedAt: i.AcceptedAt, RevokedAt: i.RevokedAt,
	}
}

// InvitationMade is a new invitation with its link, which is shown only this once.
type InvitationMade struct {
	Invitation
	Token string `json:"token" doc:"For auth/invitation/accept/. It is shown this once; only its hash is kept."`
	Link  string `json:"link" doc:"The page that accepts the invitation, to be handed over. It can be used once."`
}

var invitationRoute = rest.Routes{Base: "invitation/", Operation: "invitation", Tag: peopleTag, Noun: "invitation", Keys: rest.KeyNowhere}.Route

func registerInvitations(a *rest.API, p *account.People) {
	filters := []rest.Param{form.IDsParam, {Name: "email", Type: rest.String, Description: "The address that was invited."}}
	list := invitationRoute(http.MethodGet, "", access.Invite.For("list"), "List invitations")
	form.HandleList(a, list, filters, form.LowerEmail(p.Invitations), showInvitation)
	create := invitationRoute(http.MethodPost, "", access.Invite.For("create"), "Invite a user")
	create.Secret = true // the link in the answer opens an account
	create.Faults = []int{http.StatusConflict}
	create.Message = "Invitation created."
	create.Description = "The link can be used once, within seven days. It is mailed where a mail server is configured, and in the answer in any case.\n\n" +
		"An open invitation for the same address is revoked."
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in rest.JSON[InvitationWrite]) (InvitationMade, error) {
		wanted := ports.Invitation{Email: in.Body.Email, Name: form.OrZero(in.Body.Name), Roles: in.Body.Roles, Inviter: c.Principal().Name}
		made, token, err := p.Invite(ctx, c.Principal(), wanted)
		c.SetHeader("Cache-Control", "no-store")
		return InvitationMade{showInvitation(made), token, c.Site(account.InvitationPage + token)}, err
	})
	revoke := invitationRoute(http.MethodDelete, "{id}/", access.Invite.For("destroy"), "Revoke an invitation")
	revoke.Status, revoke.Faults = http.StatusNoContent, []int{http.StatusBadRequest}
	rest.Handle(a, revoke, form.Remove(p.Revoke))
	revokeMany := invitationRoute(http.MethodDelete, "", access.Invite.For("destroy_many"), "Revoke invitations")
	revokeMany.Faults = revoke.Faults
	form.DeleteEach(a, revokeMany, "invitations", p.Together, p.Revoke)
}
