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
	keys := attemptKeys(who.Email, client)
	var user ports.User
	err := i.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		if err := i.mayTry(ctx, tx, keys); err != nil {
			return err
		}
		user, _, err = tx.Accounts.Caller(ctx, who.UserID)
		return err
	})
	if err != nil {
		return err
	}
	ok, err := i.Passwords.Check(current, user.PasswordHash)
	if err != nil {
		return err
	}
	if !ok {
		return i.failed(ctx, keys, wrongField("current", "password_wrong", "This is not your current password."))
	}
	hashed, err := i.Passwords.Hash(next)
	if err != nil {
		return err
	}
	return i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := i.succeeded(ctx, tx, keys); err != nil {
			return err
		}
		return i.setPassword(ctx, tx, user, hashed)
	})
}

// setPassword stores a password, and ends what the old one had opened: refresh tokens,
// links for a new password, the wait after wrong ones.
func (i *Identity) setPassword(ctx context.Context, tx ports.OperatorRepos, user ports.User, hashed string) error {
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
	return tx.Attempts.Clear(ctx, accountKey(user.Email))
}

// RequestReset has a link for a new password sent to an address, if a user has it. It does the same, in the
// same time, whether or not one does: who that is, is looked up when the letter is sent.
func (i *Identity) RequestReset(ctx context.Context, email string) error {
	letter := ports.Letter{Kind: ports.LetterReset, Email: strings.ToLower(strings.TrimSpace(email)), CreatedAt: i.Clock.Now()}
	return i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return AskLetter(ctx, tx.Letters, tx.Jobs, &letter)
	})
}

// linkInvalid is one answer for a link that was used, revoked, has expired or never was.
func linkInvalid() error {
	return wrongField("token", "link_invalid", "This link was used or revoked, has expired, or never was; ask for a new one.")
}

// ticket returns what the token of a link stands for, locked, if it still stands.
func ticket(ctx context.Context, tx ports.OperatorRepos, token string, now time.Time) (ports.Ticket, error) {
	t, err := tx.Tickets.Get(ctx, HashSecret(token))
	if fault.Is(err, fault.NotFound) || err == nil && (t.UsedAt != nil || !now.Before(t.ExpiresAt)) {
		return t, linkInvalid()
	}
	return t, err
}

// ConfirmReset sets the password of a link's user, and ends all of its refresh tokens.
// Faults: Invalid (link_invalid, and what is wrong with the password).
func (i *Identity) ConfirmReset(ctx context.Context, token, password string) error {
	now := i.Clock.Now()
	user := func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		t, err := ticket(ctx, tx, token, now)
		if err != nil {
			return ports.User{}, err
		}
		if t.UserID == 0 {
			return ports.User{}, linkInvalid()
		}
		user, _, err := tx.Accounts.Caller(ctx, t.UserID)
		if err == nil && user.Disabled {
			err = linkInvalid()
		}
		return user, err
	}
	hashed, err := i.hashFor(ctx, password, func(ctx context.Context, tx ports.OperatorRepos) (string, error) {
		u, err := user(ctx, tx)
		return u.Email, err
	})
	if err != nil {
		return err
	}
	return i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		u, err := user(ctx, tx)
		if err != nil {
			return err
		}
		return i.setPassword(ctx, tx, u, hashed)
	})
}

// hashFor hashes a new password where it and the link are good: hashing is work that nobody
// may ask for in vain.
func (i *Identity) hashFor(ctx context.Context, password string, email func(context.Context, ports.OperatorRepos) (string, error)) (string, error) {
	if wrong := access.CheckPassword(password, ""); wrong != "" {
		return "", fault.Field("password", wrong)
	}
	of, err := app.In(ctx, i.Store.Operate, email)
	if err != nil {
		return "", err
	}
	if wrong := access.CheckPassword(password, of); wrong != "" {
		return "", fault.Field("password", wrong)
	}
	return i.Passwords.Hash(password)
}

// AcceptInvitation makes the user that an invitation asks for. An empty name is that of the invitation, or
// what stands before the @. Faults: Invalid (link_invalid, email_taken, and what is wrong with the password).
func (i *Identity) AcceptInvitation(ctx context.Context, token, password, name string) (ports.Member, error) {
	if name != "" {
		f := fault.Fields{}
		if name = CheckName(name, f); len(f) > 0 {
			return ports.Member{}, f.Err()
		}
	}
	now := i.Clock.Now()
	invitation := func(ctx context.Context, tx ports.OperatorRepos) (ports.Invitation, error) {
		t, err := ticket(ctx, tx, token, now)
		if err != nil {
			return ports.Invitation{}, err
		}
		if t.InvitationID == 0 {
			return ports.Invitation{}, linkInvalid()
		}
		in, err := tx.Invitations.Get(ctx, access.Own(t.CompanyID), t.InvitationID)
		if err == nil && !in.Open(now) {
			err = linkInvalid()
		}
		return in, err
	}
	hashed, err := i.hashFor(ctx, password, func(ctx context.Context, tx ports.OperatorRepos) (string, error) {
		in, err := invitation(ctx, tx)
		return in.Email, err
	})
	if err != nil {
		return ports.Member{}, err
	}
	return app.In(ctx, i.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (out ports.Member, err error) {
		in, err := invitation(ctx, tx)
		if err != nil {
			return out, err
		}
		if in, err = locked(ctx, tx, in, now); err != nil {
			return out, err
		}
		return i.join(ctx, tx, in, hashed, name, now)
	})
}

// locked returns an invitation as it is under the company's lock, which whoever changes
// roles or revokes invitations holds.
func locked(ctx context.Context, tx ports.OperatorRepos, in ports.Invitation, now time.Time) (ports.Invitation, error) {
	scope := access.Own(in.CompanyID)
	if err := tx.Members.Lock(ctx, scope); err != nil {
		return in, err
	}
	fresh, err := tx.Invitations.Get(ctx, scope, in.ID)
	if err == nil && !fresh.Open(now) {
		err = linkInvalid()
	}
	return fresh, err
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
