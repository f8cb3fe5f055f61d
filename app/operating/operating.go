// Package operating holds the use cases of the operator's command line: companies,
// users, tokens, credit, prices and the crop catalog. The shell is the authority:
// nothing here asks for a permission, and nothing here is reachable over HTTP.
package operating

import (
	"context"
	"crypto/sha256"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/cropcheck"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// Operating is the operator's use cases.
type Operating struct {
	Store     ports.Store
	Passwords ports.Passwords
	Tokens    ports.Tokens
	Clock     ports.Clock
	IDs       ports.IDs
	Curves    *satellite.CurveLibrary
	Engines   ports.Engines
}

// CreateCompany makes a company with the roles that every company starts with.
// Faults: Invalid, Conflict when the name is taken.
func (o *Operating) CreateCompany(ctx context.Context, name string) (ports.Company, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > 255 {
		return ports.Company{}, fault.Field("name", "A name of 1 to 255 characters.")
	}
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (out ports.Company, err error) {
		out = ports.Company{UUID: o.IDs.UUID(), Name: name, CreatedAt: o.Clock.Now()}
		if err := tx.Accounts.CreateCompany(ctx, &out, access.DefaultRoles()); err != nil {
			return out, err
		}
		return out, tx.Audit.Add(ctx, entry(out.ID, out.CreatedAt).Of(audit.Create, "company", out.ID, audit.Diff(nil, &companyAudited{out.UUID, out.Name})))
	})
}

// NewUser is what a user is made of. An operator has no company and no role; an empty
// password makes a user that signs in only with tokens the operator creates.
type NewUser struct {
	CompanyID int64
	Email     string
	Name      string // default: what stands before the @
	Role      string
	Password  string
	Operator  bool
}

// CreateUser makes a user with a role. Faults: Invalid, NotFound (company, role), Conflict (email_taken).
func (o *Operating) CreateUser(ctx context.Context, in NewUser) (ports.User, error) {
	if err := in.check(); err != nil {
		return ports.User{}, err
	}
	hash := ""
	if in.Password != "" {
		var err error
		if hash, err = o.Passwords.Hash(ctx, in.Password); err != nil {
			return ports.User{}, err
		}
	}
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (out ports.User, err error) {
		out = ports.User{CompanyID: in.CompanyID, Email: in.Email, Name: in.Name, PasswordHash: hash, CreatedAt: o.Clock.Now()}
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
		return out, auditUser(ctx, tx, out.CreatedAt, out, audit.Create, audit.Diff(nil, &userAudited{out.Email, out.Name, in.Role, false}))
	})
}

func (in *NewUser) check() error {
	f := fault.Fields{}
	in.Email = strings.ToLower(strings.TrimSpace(in.Email))
	if a, err := mail.ParseAddress(in.Email); err != nil || a.Address != in.Email || len(in.Email) > 254 {
		f.Addf("email", "%q is no e-mail address.", in.Email)
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

// MaxTokenTTL bounds a token made on the command line.
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

// UnbindUser lets a user sign in anew as a subject of an identity provider, and returns how
// many bindings it ended. Faults: NotFound.
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

// DisableUser ends a user's access from its next request on. Faults: NotFound.
func (o *Operating) DisableUser(ctx context.Context, email string) (ports.User, error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (user ports.User, err error) {
		if user, err = tx.Accounts.UserByEmail(ctx, email); err != nil {
			return user, err
		}
		was := user.Disabled
		user.Disabled = true
		if err := tx.Accounts.SetDisabled(ctx, user.ID, true); err != nil || was {
			return user, err
		}
		return user, auditUser(ctx, tx, o.Clock.Now(), user, audit.Update, audit.Diff(&userAudited{}, &userAudited{Disabled: true}))
	})
}

// CreditWallet puts credits into a company's wallet. Faults: Invalid, NotFound.
func (o *Operating) CreditWallet(ctx context.Context, companyID int64, amount credit.Amount, note string) (credit.Wallet, error) {
	if err := checkNote(note); err != nil {
		return credit.Wallet{}, err
	}
	var out credit.Wallet
	err := o.inCompany(ctx, companyID, func(ctx context.Context, tx ports.OperatorRepos, scope access.Scope, now time.Time) error {
		wallet, err := tx.Wallet.Lock(ctx, scope)
		if err != nil {
			return err
		}
		if wallet.Balance > credit.MaxAmount-amount {
			return fault.Field("amount", "The balance would be larger than a wallet can hold.")
		}
		if out, err = wallet.Apply(credit.Credit, amount); err != nil {
			return err
		}
		return post(ctx, tx, scope, out, &credit.Transaction{CompanyID: companyID, CreatedAt: now, Kind: credit.Credit, Amount: amount, Note: note})
	})
	return out, err
}

// SetPrice sets the price per hectare of a service. Faults: Invalid.
func (o *Operating) SetPrice(ctx context.Context, service string, perHa credit.Amount) error {
	if !slices.Contains(credit.Services, service) {
		return fault.Field("service", service+" is no service; one of "+strings.Join(credit.Services, ", ")+".")
	}
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		now := o.Clock.Now()
		var was *priceAudited
		if before, ok, err := tx.Wallet.Price(ctx, service); err != nil {
			return err
		} else if ok {
			was = &priceAudited{(*credits)(&before)}
		}
		if err := tx.Prices.SetPrice(ctx, service, perHa, now); err != nil {
			return err
		}
		return tx.Trail.Add(ctx, ofInstallation(now, audit.Update, "price", service, audit.Diff(was, &priceAudited{(*credits)(&perHa)})))
	})
}

// ImportCrops stores crops of the catalog by their slug and gives how many there are then.
func (o *Operating) ImportCrops(ctx context.Context, crops []farm.Crop) (total int64, err error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (total int64, err error) {
		now := o.Clock.Now()
		if err := tx.Catalog.UpsertCrops(ctx, crops, now); err != nil {
			return total, err
		}
		if total, err = tx.Catalog.CountCrops(ctx); err != nil {
			return total, err
		}
		return total, tx.Trail.Add(ctx, ofInstallation(now, audit.Update, "crop", "catalog", audit.Diff(nil, &cropsAudited{int64(len(crops)), total})))
	})
}

// SeedCrops stores the catalog Tilth comes with, where there is none yet.
func (o *Operating) SeedCrops(ctx context.Context, crops []farm.Crop) error {
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		have, err := tx.Catalog.CountCrops(ctx)
		if err != nil || have > 0 {
			return err
		}
		return tx.Catalog.UpsertCrops(ctx, crops, o.Clock.Now())
	})
}

// EnsureSigningKey makes the first key that access tokens are signed with. Replicas
// that start at once may make two; all of them verify.
func (o *Operating) EnsureSigningKey(ctx context.Context) error {
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		keys, err := tx.Accounts.SigningKeys(ctx)
		if err != nil || len(keys) > 0 {
			return err
		}
		return tx.Accounts.AddSigningKey(ctx, o.newSigningKey())
	})
}

func (o *Operating) newSigningKey() ports.SigningKey {
	seed := sha256.Sum256([]byte(o.IDs.Secret()))
	return ports.SigningKey{ID: o.IDs.UUID(), Seed: seed[:], CreatedAt: o.Clock.Now()}
}

// RotateSigningKey makes a new key for access tokens. Tokens signed with the keys before
// it are good until they expire.
func (o *Operating) RotateSigningKey(ctx context.Context) (ports.SigningKey, error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (key ports.SigningKey, err error) {
		key = o.newSigningKey()
		if err := tx.Accounts.AddSigningKey(ctx, key); err != nil {
			return key, err
		}
		return key, tx.Trail.Add(ctx, ofInstallation(key.CreatedAt, audit.Create, "signing_key", key.ID, nil))
	})
}

// ImportCurves stores a version of the reference curves of a region. It is in force from then on, in place of
// the version before it; versions are never changed. Faults: Invalid, Conflict (curves_exist).
func (o *Operating) ImportCurves(ctx context.Context, region, version string, set cropcheck.Set) (cropcheck.Edition, error) {
	edition := cropcheck.Edition{Region: region, Version: version, Set: set, ImportedAt: o.Clock.Now()}
	if err := edition.Check(); err != nil {
		return edition, err
	}
	err := o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		before, err := o.inForce(ctx, tx, region)
		if err != nil {
			return err
		}
		if err := tx.Curves.Add(ctx, edition); err != nil {
			return err
		}
		return tx.Trail.Add(ctx, ofInstallation(edition.ImportedAt, audit.Create, "curves", region, audit.Diff(auditedCurves(before), auditedCurves(&edition))))
	})
	return edition, err
}

// CurvesInForce returns the curves in force, one edition a region.
func (o *Operating) CurvesInForce(ctx context.Context) ([]cropcheck.Edition, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]cropcheck.Edition, error) {
		return o.Curves.InForce(ctx, tx.Curves)
	})
}

// inForce returns the edition of a region that is in force; nil where there is none.
func (o *Operating) inForce(ctx context.Context, tx ports.OperatorRepos, region string) (*cropcheck.Edition, error) {
	all, err := o.Curves.InForce(ctx, tx.Curves)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(e cropcheck.Edition) bool { return e.Region == region })
	if i < 0 {
		return nil, nil
	}
	return &all[i], nil
}

func auditedCurves(e *cropcheck.Edition) *curvesAudited {
	if e == nil {
		return nil
	}
	return &curvesAudited{e.Version, e.Set.Scope, e.Set.Classes()}
}
