package account

import (
	"context"
	"fmt"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// InvitationTTL is the time for which an invitation stands.
const InvitationTTL = 7 * 24 * time.Hour

// Invitations returns the invitations of the caller's company.
func (p *People) Invitations(ctx context.Context, who access.Principal, q ports.Query) (app.List[ports.Invitation], error) {
	return app.ListIn(ctx, p.Deps, app.Ask{Who: who, Need: access.Invite}, q, func(tx ports.Repos) ports.Invitations { return tx.Invitations })
}

// Invite asks somebody to join the caller's company. It returns the invitation with the token of a one-time
// link, which is shown only this once. A letter with a link of its own goes out as well. An open invitation of
// the same address is revoked. Faults: Invalid (email_taken, role_exceeds_own).
func (p *People) Invite(ctx context.Context, who access.Principal, in ports.Invitation) (ports.Invitation, string, error) {
	if err := p.Gate.Require(ctx, who, access.Invite); err != nil {
		return in, "", err
	}
	f := fault.Fields{}
	in.Email = checkEmail(in.Email, f)
	if in.Name != "" {
		in.Name = CheckName(in.Name, f)
	}
	if in.Roles = uniqueNames(in.Roles); len(in.Roles) == 0 {
		f.Add("roles", "Give at least one role.")
	}
	if err := f.Err(); err != nil {
		return in, "", err
	}
	now, secret := p.Clock.Now(), p.IDs.Secret()
	in.CreatedAt, in.CreatedBy, in.ExpiresAt = now, who.UserID, now.Add(InvitationTTL)
	scope := who.Scope(false)
	// Whether an address has a user is not the concern of one company: it is looked up outside its scope.
	err := p.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		_, err := tx.Accounts.UserByEmail(ctx, in.Email)
		switch {
		case err == nil:
			return EmailTaken()
		case fault.Is(err, fault.NotFound):
			return nil
		}
		return err
	})
	if err != nil {
		return in, "", err
	}
	err = p.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if err := tx.Members.Lock(ctx, scope); err != nil {
			return err
		}
		if err := mayDecide(ctx, tx, scope, who, in.Roles); err != nil {
			return err
		}
		if err := tx.Invitations.RevokeOf(ctx, scope, in.Email, now); err != nil {
			return err
		}
		if err := tx.Invitations.Insert(ctx, scope, &in, HashSecret(secret)); err != nil {
			return err
		}
		offered := offer{in.Email, in.Name, in.Roles}
		if err := tx.Audit.Add(ctx, p.by(who).Of(audit.Create, "invitation", in.ID, audit.Diff(nil, &offered))); err != nil {
			return err
		}
		letter := ports.Letter{Kind: ports.LetterInvitation, Email: in.Email, CompanyID: in.CompanyID, InvitationID: in.ID, CreatedAt: now}
		return AskLetter(ctx, tx.Letters, tx.Jobs, &letter)
	})
	return in, secret, err
}

// EmailTaken refuses an address that already has a user, in whichever company.
func EmailTaken() error {
	return wrongField("email", "email_taken", "A user with this e-mail address already exists.")
}

// wrongField is an Invalid fault of one field with a code of its own.
func wrongField(field, code, message string) error {
	return &fault.Error{Kind: fault.Invalid, Code: code, Message: message, Fields: fault.Fields{field: []string{message}}}
}

// Revoke ends an open invitation with its links. Faults: NotFound, Invalid (invitation_closed).
func (p *People) Revoke(ctx context.Context, who access.Principal, id int64) error {
	scope, now := who.Scope(false), p.Clock.Now()
	return app.Do(ctx, p.Deps, who, access.Invite, func(ctx context.Context, tx ports.Repos) error {
		if err := tx.Members.Lock(ctx, scope); err != nil {
			return err
		}
		invitation, err := tx.Invitations.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		if invitation.AcceptedAt != nil || invitation.RevokedAt != nil {
			return fault.New(fault.Invalid, "invitation_closed", fmt.Sprintf("Invitation %d was accepted or revoked already.", id))
		}
		if err := tx.Invitations.Revoke(ctx, scope, id, now); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Revoke, "invitation", id, nil))
	})
}

// offer is what the audit trail stores about an invitation.
type offer struct {
	Email string
	Name  string
	Roles []string
}
