package operating

import (
	"context"
	"iter"
	"net/mail"
	"strings"
	"time"

	"tilth/app"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// NewUser describes a user to be made. An operator has no company and no role; a user with an empty
// password signs in only with tokens that the operator creates.
type NewUser struct {
	CompanyID int64
	Email     string
	Name      string // default: the part of the address before the @
	Role      string
	Password  string
	Operator  bool
}

// CreateUser makes a user with a role. Faults: Invalid, NotFound (company, role), Conflict (email_taken).
func (o *Operating) CreateUser(ctx context.Context, in NewUser) (ports.User, error) {
	if err := in.check(); err != nil {
		return ports.User{}, err
	}
	if in.Operator && o.by != nil {
		return ports.User{}, errOperatorAccount
	}
	hash := ""
	if in.Password != "" {
		var err error
		if hash, err = o.Passwords.Hash(ctx, in.Password); err != nil {
			return ports.User{}, err
		}
	}
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		return o.addUser(ctx, tx, in, hash)
	})
}

// addUser stores a user that has been checked.
func (o *Operating) addUser(ctx context.Context, tx ports.OperatorRepos, in NewUser, hash string) (ports.User, error) {
	out := ports.User{CompanyID: in.CompanyID, Email: in.Email, Name: in.Name, PasswordHash: hash, CreatedAt: o.Clock.Now()}
	if !in.Operator {
		if _, err := tx.Accounts.Company(ctx, in.CompanyID); err != nil {
			return out, err
		}
	}
	if err := tx.Accounts.CreateUser(ctx, &out); err != nil {
		return out, err
	}
	if !in.Operator {
		if err := tx.Accounts.GiveRole(ctx, out.ID, in.CompanyID, in.Role); err != nil {
			return out, err
		}
	}
	return out, o.auditUser(ctx, tx, out.CreatedAt, out, audit.Create, audit.Diff(nil, &userAudited{out.Email, out.Name, in.Role, false}))
}

func (in *NewUser) check() error {
	f := fault.Fields{}
	in.Email = strings.ToLower(strings.TrimSpace(in.Email))
	if a, err := mail.ParseAddress(in.Email); err != nil || a.Address != in.Email || len(in.Email) > 254 {
		f.Addf("email", "%q is not an e-mail address.", in.Email)
	} else if in.Name == "" {
		in.Name, _, _ = strings.Cut(in.Email, "@")
	}
	if in.Operator && (in.CompanyID != 0 || in.Role != "") {
		f.Add("company", "An operator belongs to no company and has no role.")
	}
	if !in.Operator && in.CompanyID <= 0 {
		f.Add("company", "The id of a company is required.")
	}
	if !in.Operator && in.Role == "" {
		f.Add("role", "A role is required: owner, editor, viewer or one of the company's own.")
	}
	if in.Password != "" {
		if wrong := access.CheckPassword(in.Password, in.Email); wrong != "" {
			f.Add("password", wrong)
		}
	}
	return f.Err()
}

// MaxTokenTTL bounds the lifetime of a token made on the command line.
const MaxTokenTTL = 366 * 24 * time.Hour

// CreateToken makes an access token for a user. Faults: Invalid, NotFound.
func (o *Operating) CreateToken(ctx context.Context, email string, ttl time.Duration) (string, error) {
	if ttl < time.Second || ttl > MaxTokenTTL {
		return "", fault.Field("ttl", "A duration from 1s to 8784h (366 days).")
	}
	user, err := o.User(ctx, email)
	if err != nil {
		return "", err
	}
	return o.Tokens.Issue(ctx, user.ID, o.Clock.Now(), ttl)
}

// User returns a user by e-mail. Faults: NotFound.
func (o *Operating) User(ctx context.Context, email string) (ports.User, error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		return tx.Accounts.UserByEmail(ctx, email)
	})
}

// UnbindUser lets a user sign in anew as a subject of an identity provider, and returns the number
// of bindings it ended. Faults: NotFound.
func (o *Operating) UnbindUser(ctx context.Context, email string) (user ports.User, unbound int64, err error) {
	err = o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if user, err = tx.Accounts.UserByEmail(ctx, email); err != nil {
			return err
		}
		unbound, err = tx.Accounts.UnbindExternalIDs(ctx, user.ID)
		return err
	})
	return user, unbound, err
}

// errOperatorAccount keeps whoever has stolen an operator's token from making other operators, or from taking over their accounts.
var errOperatorAccount = fault.New(fault.Conflict, "operator_account",
	"The accounts of operators can be changed only on the command line. Fix: use `tilth user` on the server.")

// Users returns the users of all companies, and the operators.
func (o *Operating) Users(ctx context.Context, q ports.Query) (app.List[ports.Account], error) {
	return app.ListAll(ctx, o.Store, q, allUsers, nil)
}

func allUsers(tx ports.OperatorRepos) ports.Whole[ports.Account] { return tx.Users }

// Account returns a user. Faults: NotFound.
func (o *Operating) Account(ctx context.Context, id int64) (ports.Account, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.Account, error) {
		return one(tx.Users.Each(ctx, ofID(id)), "user")
	})
}

// ofID selects one record.
func ofID(id int64) ports.Query {
	return ports.Query{Filters: []ports.Filter{{Name: "id", Value: id}}, Limit: 1}
}

// one returns the only record of a sequence. Faults: NotFound, which names the record by word.
func one[T any](all iter.Seq2[T, error], word string) (out T, err error) {
	for out, err := range all {
		return out, err
	}
	return out, fault.Missing(word)
}

// SetDisabled ends a user's access from the next request on, or restores it. Faults: NotFound, Conflict
// (operator_account: over HTTP, for an operator).
func (o *Operating) SetDisabled(ctx context.Context, id int64, disabled bool) (out ports.Account, err error) {
	return o.onUser(ctx, id, func(ctx context.Context, tx ports.OperatorRepos, user ports.User) error {
		if user.Disabled == disabled {
			return nil
		}
		if err := tx.Accounts.SetDisabled(ctx, user.ID, disabled); err != nil {
			return err
		}
		was, is := userAudited{Disabled: user.Disabled}, userAudited{Disabled: disabled}
		return o.auditUser(ctx, tx, o.Clock.Now(), user, audit.Update, audit.Diff(&was, &is))
	})
}

// onUser changes a user that the caller may change, and returns the resulting user. Faults: NotFound, Conflict (operator_account).
func (o *Operating) onUser(ctx context.Context, id int64, change func(ctx context.Context, tx ports.OperatorRepos, user ports.User) error) (ports.Account, error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (out ports.Account, err error) {
		user, _, err := tx.Accounts.Caller(ctx, id)
		if err == nil && user.CompanyID == 0 && o.by != nil {
			err = errOperatorAccount
		}
		if err == nil {
			err = change(ctx, tx, user)
		}
		if err != nil {
			return out, err
		}
		return one(tx.Users.Each(ctx, ofID(id)), "user")
	})
}

// PasswordLink grants the right to set a new password.
type PasswordLink struct {
	User      ports.Account
	Token     string // for the page [account.ResetPage]; it is not kept
	ExpiresAt time.Time
}

// LinkPassword makes a link that sets a new password for a user, once, within an hour; earlier links end. The current
// password stays valid until then. Faults: NotFound, Conflict (operator_account, user_disabled).
func (o *Operating) LinkPassword(ctx context.Context, id int64) (out PasswordLink, err error) {
	out.User, err = o.onUser(ctx, id, func(ctx context.Context, tx ports.OperatorRepos, user ports.User) error {
		if user.Disabled {
			return fault.New(fault.Conflict, "user_disabled", "This user is disabled. Fix: enable the user first.")
		}
		now := o.Clock.Now()
		out.Token, out.ExpiresAt = o.IDs.Secret(), now.Add(account.ResetTTL)
		if err := tx.Tickets.UseAll(ctx, user.ID, 0, now); err != nil {
			return err
		}
		ticket := ports.Ticket{Hash: account.HashSecret(out.Token), UserID: user.ID, CreatedAt: now, ExpiresAt: out.ExpiresAt}
		if err := tx.Tickets.Add(ctx, ticket); err != nil {
			return err
		}
		return o.auditUser(ctx, tx, now, user, linkPassword, nil)
	})
	return out, err
}

// linkPassword is the action of the trail for a link that sets a password.
const linkPassword audit.Action = "password_link"
