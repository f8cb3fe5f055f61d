package account

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Issuers configures whose access tokens are accepted.
type Issuers struct {
	External   ports.ExternalIssuer // nil: none
	BuiltInOff bool                 // tokens of the built-in issuer are neither issued nor accepted
	Provider   ports.SignInProvider // signs browsers in; nil: none
}

func badToken() error {
	return fault.New(fault.Unauthenticated, "token_invalid", "The access token is not valid.")
}

// builtIn refuses what only the built-in issuer does when it is off.
func (i *Identity) builtIn() error {
	if !i.Issuers.BuiltInOff {
		return nil
	}
	return fault.New(fault.Unauthenticated, "builtin_issuer_off", "Sign in with the identity provider of this installation; it gives the access token.")
}

// vouched returns the user whom the external issuer vouches for: the one bound to its subject or,
// at the first sign-in, the one with its e-mail address, who is then bound to it. Somebody who gets
// that address later is another subject, and not that user.
func (i *Identity) vouched(ctx context.Context, bearer string) (who access.Principal, err error) {
	vouched, err := i.Issuers.External.Verify(ctx, bearer)
	if err != nil {
		return access.Principal{}, err
	}
	return i.known(ctx, vouched)
}

// known returns the user whom a provider vouches for, and who is bound to its subject from then on. Faults:
// Unauthenticated (user_unknown, user_bound_otherwise, user_disabled).
func (i *Identity) known(ctx context.Context, vouched ports.Vouched) (who access.Principal, err error) {
	who, err = app.In(ports.Loosely(ctx), i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (access.Principal, error) {
		return boundCaller(ctx, tx, vouched.ExternalID)
	})
	if !fault.Is(err, fault.NotFound) {
		return who, err
	}
	return app.In(ctx, i.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (access.Principal, error) {
		if err := i.bind(ctx, tx, vouched); err != nil {
			return access.Principal{}, err
		}
		return boundCaller(ctx, tx, vouched.ExternalID)
	})
}

// boundCaller returns the user that an external subject is bound to. Faults: NotFound,
// Unauthenticated (user_disabled).
func boundCaller(ctx context.Context, tx ports.OperatorRepos, id ports.ExternalID) (access.Principal, error) {
	user, err := tx.Accounts.UserByExternalID(ctx, id)
	if err != nil {
		return access.Principal{}, err
	}
	user, version, err := tx.Accounts.Caller(ctx, user.ID)
	if err != nil {
		return access.Principal{}, err
	}
	return callerOf(user, version)
}

// bind binds an external subject to the user with its e-mail address, unless another request
// did so a moment ago.
func (i *Identity) bind(ctx context.Context, tx ports.OperatorRepos, vouched ports.Vouched) error {
	if _, err := tx.Accounts.UserByExternalID(ctx, vouched.ExternalID); !fault.Is(err, fault.NotFound) {
		return err
	}
	user, err := tx.Accounts.UserByEmail(ctx, vouched.Email)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Unauthenticated, "user_unknown", "The identity provider vouches for this person, but no user here has their e-mail address. Fix: ask an owner of the company to invite them.")
	}
	if err != nil {
		return err
	}
	err = tx.Accounts.BindExternalID(ctx, vouched.ExternalID, user.ID, i.Clock.Now())
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.Unauthenticated, "user_bound_otherwise",
			"The user with this e-mail address signs in as another subject of the issuer. Fix: ask an operator to run `tilth user unbind`.")
	}
	return err
}

// AuthenticateKey returns the caller behind an API key: its user, with no more permissions than the
// key was narrowed to. Faults: Unauthenticated (api_key_invalid, api_key_expired, user_disabled).
func (i *Identity) AuthenticateKey(ctx context.Context, text string) (access.Principal, error) {
	return app.In(ports.Loosely(ctx), i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (who access.Principal, err error) {
		key, err := tx.Keys.ByHash(ctx, HashSecret(text))
		if fault.Is(err, fault.NotFound) {
			return who, access.BadKey()
		}
		if err != nil {
			return who, err
		}
		if err := key.Usable(i.Clock.Now()); err != nil {
			return who, err
		}
		user, version, err := tx.Accounts.Caller(ctx, key.User.ID)
		if err != nil {
			return who, err
		}
		if user.CompanyID != key.CompanyID {
			return who, access.BadKey() // the user has moved on, and the key does not follow
		}
		who, err = callerOf(user, version)
		who.KeyID, who.KeySlugs = key.ID, key.Slugs
		return who, err
	})
}

func callerOf(user ports.User, version int64) (access.Principal, error) {
	if user.Disabled {
		return access.Principal{}, fault.New(fault.Unauthenticated, "user_disabled", "This user is disabled.")
	}
	return access.Principal{
		UserID: user.ID, Name: user.Name, Email: user.Email, CompanyID: user.CompanyID,
		Operator: user.CompanyID == 0, PolicyVersion: version,
	}, nil
}

// Enter returns the caller as it acts inside a company: an operator may enter any, every other user only their own.
// Faults: Forbidden (company_forbidden), NotFound (company_not_found), which is reported to operators alone.
func (i *Identity) Enter(ctx context.Context, who access.Principal, companyID int64) (access.Principal, error) {
	if !who.Operator {
		if who.CompanyID != companyID {
			return access.Principal{}, fault.New(fault.Forbidden, "company_forbidden", "You can act in your own company only; leave X-Company out.")
		}
		return who, nil
	}
	err := i.Store.Consult(ports.Loosely(ctx), func(ctx context.Context, tx ports.OperatorRepos) error {
		company, err := tx.Accounts.Company(ctx, companyID)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.NotFound, "company_not_found", "There is no company with that id.")
		}
		who.CompanyID, who.PolicyVersion = company.ID, company.PolicyVersion
		return err
	})
	return who, err
}
