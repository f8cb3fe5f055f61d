package account

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// ChangePassword sets the password of the caller and ends all of its refresh tokens. Faults: Invalid
// (password_wrong, and what is wrong with the new one), Limit (too_many_attempts).
func (i *Identity) ChangePassword(ctx context.Context, who access.Principal, current, next string, client netip.Addr) error {
	if wrong := access.CheckPassword(next, who.Email); wrong != "" {
		return fault.Field("new", wrong)
	}
	try := tryOf(who.Email, client)
	refusal := wrongField("current", "password_wrong", "This is not your current password.")
	user, err := i.prove(ctx, try, current, refusal, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		user, _, err := tx.Accounts.Caller(ctx, who.UserID)
		return user, err
	})
	if err != nil {
		return err
	}
	hashed, err := i.Passwords.Hash(ctx, next)
	if err != nil {
		return err
	}
	return i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := i.succeeded(ctx, tx, try); err != nil {
			return err
		}
		return i.setPassword(ctx, tx, user, hashed, client)
	})
}

// setPassword stores a password, and ends everything that the old one allowed: refresh tokens, links for a new
// password, and the waits after wrong ones. The address that it was set from becomes a known one of the account.
func (i *Identity) setPassword(ctx context.Context, tx ports.OperatorRepos, user ports.User, hashed string, client netip.Addr) error {
	now := i.Clock.Now()
	if err := tx.Credentials.SetPassword(ctx, user.ID, hashed); err != nil {
		return err
	}
	if err := tx.Credentials.RevokeOf(ctx, user.ID, now); err != nil {
		return err
	}
	if err := tx.Tickets.UseAll(ctx, user.ID, 0, now); err != nil {
		return err
	}
	try := tryOf(user.Email, client)
	for _, key := range []string{try.account, try.pair} {
		if err := tx.Attempts.Clear(ctx, key); err != nil {
			return err
		}
	}
	return i.know(ctx, tx, try)
}

// RequestReset sends a link for a new password to an address, if a user has it. It does the same, in the
// same time, whether or not one does: the user is looked up only when the letter is sent.
func (i *Identity) RequestReset(ctx context.Context, email string) error {
	letter := ports.Letter{Kind: ports.LetterReset, Email: strings.ToLower(strings.TrimSpace(email)), CreatedAt: i.Clock.Now()}
	return i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return AskLetter(ctx, tx.Letters, tx.Jobs, &letter)
	})
}

// linkInvalid is the one answer for every link that was used or revoked, has expired or never existed.
func linkInvalid() error {
	return wrongField("token", "link_invalid", "This link was used or revoked, has expired, or never existed; ask for a new one.")
}

// redeem sets a password by the token of a link. of returns the record that the link stands for, locked, and
// the e-mail address that it belongs to; use does what the link is for. The password is hashed only once it
// and the link are valid: hashing is work that nobody may ask for in vain.
func redeem[S, R any](ctx context.Context, i *Identity, token, password string,
	of func(ctx context.Context, tx ports.OperatorRepos, t ports.Ticket) (record S, email string, err error),
	use func(ctx context.Context, tx ports.OperatorRepos, record S, hashed string) (R, error),
) (out R, err error) {
	open := func(ctx context.Context, tx ports.OperatorRepos) (record S, email string, err error) {
		t, err := tx.Tickets.Get(ctx, HashSecret(token))
		if fault.Is(err, fault.NotFound) || err == nil && (t.UsedAt != nil || !i.Clock.Now().Before(t.ExpiresAt)) {
			return record, "", linkInvalid()
		}
		if err != nil {
			return record, "", err
		}
		return of(ctx, tx, t)
	}
	if wrong := access.CheckPassword(password, ""); wrong != "" {
		return out, fault.Field("password", wrong)
	}
	email, err := app.In(ctx, i.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (string, error) {
		_, email, err := open(ctx, tx)
		return email, err
	})
	if err != nil {
		return out, err
	}
	if wrong := access.CheckPassword(password, email); wrong != "" {
		return out, fault.Field("password", wrong)
	}
	hashed, err := i.Passwords.Hash(ctx, password)
	if err != nil {
		return out, err
	}
	return app.In(ctx, i.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (out R, err error) {
		record, _, err := open(ctx, tx)
		if err != nil {
			return out, err
		}
		return use(ctx, tx, record, hashed)
	})
}

// ConfirmReset sets the password of a link's user, and ends all of its refresh tokens.
// Faults: Invalid (link_invalid, and what is wrong with the password).
func (i *Identity) ConfirmReset(ctx context.Context, token, password string, client netip.Addr) error {
	_, err := redeem(ctx, i, token, password, func(ctx context.Context, tx ports.OperatorRepos, t ports.Ticket) (ports.User, string, error) {
		if t.UserID == 0 {
			return ports.User{}, "", linkInvalid()
		}
		user, _, err := tx.Accounts.Caller(ctx, t.UserID)
		if err == nil && user.Disabled {
			err = linkInvalid()
		}
		return user, user.Email, err
	}, func(ctx context.Context, tx ports.OperatorRepos, user ports.User, hashed string) (struct{}, error) {
		return struct{}{}, i.setPassword(ctx, tx, user, hashed, client)
	})
	return err
}

// AcceptInvitation makes the user that an invitation asks for. An empty name is replaced by the invitation's, or else by the
// part of the address before the @. Faults: Invalid (link_invalid, email_taken, and what is wrong with the password).
func (i *Identity) AcceptInvitation(ctx context.Context, token, password, name string) (ports.Member, error) {
	if name != "" {
		f := fault.Fields{}
		if name = CheckName(name, f); len(f) > 0 {
			return ports.Member{}, f.Err()
		}
	}
	now := i.Clock.Now()
	return redeem(ctx, i, token, password, func(ctx context.Context, tx ports.OperatorRepos, t ports.Ticket) (ports.Invitation, string, error) {
		if t.InvitationID == 0 {
			return ports.Invitation{}, "", linkInvalid()
		}
		in, err := openInvitation(ctx, tx, t.CompanyID, t.InvitationID, now)
		return in, in.Email, err
	}, func(ctx context.Context, tx ports.OperatorRepos, in ports.Invitation, hashed string) (ports.Member, error) {
		// Whoever changes roles or revokes invitations holds the company's lock.
		if err := tx.Members.Lock(ctx, access.Own(in.CompanyID)); err != nil {
			return ports.Member{}, err
		}
		in, err := openInvitation(ctx, tx, in.CompanyID, in.ID, now)
		if err != nil {
			return ports.Member{}, err
		}
		return i.join(ctx, tx, in, hashed, name, now)
	})
}

// openInvitation returns an invitation that can still be accepted.
func openInvitation(ctx context.Context, tx ports.OperatorRepos, company, id int64, now time.Time) (ports.Invitation, error) {
	in, err := tx.Invitations.Get(ctx, access.Own(company), id)
	if err == nil && !in.Open(now) {
		err = linkInvalid()
	}
	return in, err
}

// join makes the user of an invitation, with its roles.
func (i *Identity) join(ctx context.Context, tx ports.OperatorRepos, in ports.Invitation, hashed, name string, now time.Time) (ports.Member, error) {
	if name == "" {
		name = in.Name
	}
	if name == "" {
		name, _, _ = strings.Cut(in.Email, "@")
	}
	scope := access.Own(in.CompanyID)
	user := ports.User{CompanyID: in.CompanyID, Email: in.Email, Name: name, PasswordHash: hashed, CreatedAt: now}
	err := tx.Accounts.CreateUser(ctx, &user)
	if fault.Is(err, fault.Conflict) {
		return ports.Member{}, EmailTaken()
	}
	if err != nil {
		return ports.Member{}, err
	}
	out := ports.Member{ID: user.ID, Name: user.Name, Email: user.Email, Roles: in.Roles, CreatedAt: user.CreatedAt}
	if err := tx.Members.Update(ctx, scope, out); err != nil {
		return out, err
	}
	if err := tx.Invitations.Accept(ctx, scope, in.ID, now); err != nil {
		return out, err
	}
	if err := tx.Tickets.UseAll(ctx, 0, in.ID, now); err != nil {
		return out, err
	}
	return out, tx.Members.Changed(ctx, scope)
}
