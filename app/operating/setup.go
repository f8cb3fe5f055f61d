package operating

import (
	"context"
	"time"

	"tilth/app"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// Setup makes the first company of an empty installation with its owner, for whoever holds the token that the server printed
// at its start. If a company exists it does nothing.
type Setup struct {
	Operating *Operating
	Signed    ports.ClientTokens
	Issuers   account.Issuers
}

// SetupTTL is the lifetime of the token that a start prints.
const SetupTTL = 24 * time.Hour

// setupAudience is the audience of the tokens for the setup; nothing else accepts it.
const (
	setupAudience = "tilth:setup"
	setupSubject  = "first company"
	setupNote     = "Credit to begin with"
)

var (
	errSetUp    = fault.New(fault.Conflict, "already_set_up", "This installation has a company. Fix: sign in, or ask its operator for an account.")
	badSetup    = fault.New(fault.Unauthenticated, "setup_token_invalid", "The token is not the one that this installation printed, or a day has passed. Fix: start the server again, and open the address that it prints.")
	setupClosed = fault.New(fault.Unauthenticated, "builtin_issuer_off", "People of this installation sign in with its identity provider. Fix: make the first company with `tilth company create` and `tilth user create`.")
)

// FirstCompany describes the company that an installation begins with.
type FirstCompany struct {
	Token   string // printed at the start of the server
	Company string
	Owner   NewUser // its company and role are set by Setup
	Credit  credit.Amount
}

// Needed returns whether the installation has no company yet.
func (s *Setup) Needed(ctx context.Context) (bool, error) {
	return app.In(ctx, s.Operating.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (bool, error) {
		some, err := tx.Companies.Count(ctx, ports.Query{})
		return some == 0, err
	})
}

// Token returns a token with which the first company can be made; it is empty if there is a company, or if people sign in elsewhere.
func (s *Setup) Token(ctx context.Context) (string, error) {
	if s.Issuers.BuiltInOff {
		return "", nil
	}
	needed, err := s.Needed(ctx)
	if err != nil || !needed {
		return "", err
	}
	return s.Signed.IssueFor(ctx, setupAudience, setupSubject, s.Operating.Clock.Now(), SetupTTL)
}

// Run makes the first company, its owner and the credit that it begins with, in one transaction. Of concurrent callers
// one succeeds. Faults: Conflict (already_set_up), Unauthenticated (setup_token_invalid, builtin_issuer_off), Invalid.
func (s *Setup) Run(ctx context.Context, in FirstCompany) (company ports.Company, owner ports.User, err error) {
	if s.Issuers.BuiltInOff {
		return company, owner, setupClosed
	}
	needed, err := s.Needed(ctx)
	if err == nil && !needed {
		err = errSetUp
	}
	if err != nil {
		return company, owner, err
	}
	o := s.Operating
	if subject, err := s.Signed.VerifyFor(ctx, setupAudience, in.Token, o.Clock.Now()); fault.Is(err, fault.Unauthenticated) || err == nil && subject != setupSubject {
		return company, owner, badSetup
	} else if err != nil {
		return company, owner, err
	}
	name, hash, err := s.check(ctx, &in)
	if err != nil {
		return company, owner, err
	}
	err = o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		first, err := tx.Companies.NoneYet(ctx)
		if err == nil && !first {
			err = errSetUp
		}
		if err != nil {
			return err
		}
		if company, err = o.addCompany(ctx, tx, name); err != nil {
			return err
		}
		user := in.Owner
		user.CompanyID = company.ID
		if owner, err = o.addUser(ctx, tx, user, hash); err != nil || in.Credit == 0 {
			return err
		}
		_, err = o.addCredit(ctx, tx.Wallet, tx.Audit, credit.Transaction{
			CompanyID: company.ID, CreatedAt: company.CreatedAt, Kind: credit.Credit, Amount: in.Credit, Note: setupNote,
		})
		return err
	})
	return company, owner, err
}

// check returns the name of the company and the hash of the owner's password.
func (s *Setup) check(ctx context.Context, in *FirstCompany) (name, hash string, err error) {
	f := fault.Fields{}
	if name, err = companyName(in.Company); err != nil {
		f.Add("company", "A name of 1 to 255 characters.")
	}
	if in.Credit < 0 || in.Credit > credit.MaxAmount {
		f.Add("credit", "More than a wallet can hold.")
	}
	if err := f.Err(); err != nil {
		return "", "", err
	}
	in.Owner.Role, in.Owner.CompanyID, in.Owner.Operator = access.RoleOwner, 1, false // the id is known once the company is made
	if err := in.Owner.check(); err != nil {
		return "", "", err
	}
	hash, err = s.Operating.Passwords.Hash(ctx, in.Owner.Password)
	return name, hash, err
}
