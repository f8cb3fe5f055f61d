// Package operating holds the use cases of operators: companies, users, tokens, credit, prices, jobs and the crop
// catalog. On the command line, access to the shell is the authority, and no permission is checked. Over HTTP an
// operator works through [Operating.As], which admits nobody else, and every change is recorded under their name.
package operating

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/cropcheck"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// Operating holds the operator's use cases.
type Operating struct {
	Store      ports.Store
	Gate       *app.Gate
	Statements *satellite.Statements
	Passwords  ports.Passwords
	Tokens     ports.Tokens
	Clock      ports.Clock
	IDs        ports.IDs
	Curves     *satellite.CurveLibrary
	Engines    ports.Engines

	by *access.Principal `wire:"-"` // nil: the command line
}

// As returns the use cases for an operator who works over HTTP. Faults: Unauthenticated, Forbidden (operator_required).
func (o *Operating) As(ctx context.Context, who access.Principal) (*Operating, error) {
	if err := o.Gate.Require(ctx, who, access.Operate); err != nil {
		return nil, err
	}
	out := *o
	out.by = &who
	return &out, nil
}

// CreateCompany makes a company with the roles that every company starts with. Faults: Invalid,
// Conflict when the name is taken.
func (o *Operating) CreateCompany(ctx context.Context, name string) (ports.Company, error) {
	name, err := companyName(name)
	if err != nil {
		return ports.Company{}, err
	}
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (ports.Company, error) {
		if _, err := tx.Companies.NoneYet(ctx); err != nil { // of this call and a concurrent setup one is first, and the other sees it
			return ports.Company{}, err
		}
		return o.addCompany(ctx, tx, name)
	})
}

func (o *Operating) addCompany(ctx context.Context, tx ports.OperatorRepos, name string) (ports.Company, error) {
	out := ports.Company{UUID: o.IDs.UUID(), Name: name, CreatedAt: o.Clock.Now()}
	if err := tx.Accounts.CreateCompany(ctx, &out, access.DefaultRoles()); err != nil {
		return out, err
	}
	return out, tx.Audit.Add(ctx, o.entry(out.ID, out.CreatedAt).Of(audit.Create, "company", out.ID, audit.Diff(nil, &companyAudited{out.UUID, out.Name})))
}

func companyName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > 255 {
		return name, fault.Field("name", "A name of 1 to 255 characters.")
	}
	return name, nil
}

// ImportCrops stores crops of the catalog by their slug and returns the resulting size of the catalog.
func (o *Operating) ImportCrops(ctx context.Context, crops []farm.Crop) (total int64, err error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (total int64, err error) {
		now := o.Clock.Now()
		if err := tx.Catalog.UpsertCrops(ctx, crops, now); err != nil {
			return total, err
		}
		if total, err = tx.Catalog.CountCrops(ctx); err != nil {
			return total, err
		}
		return total, tx.Trail.Add(ctx, o.ofInstallation(now, audit.Update, "crop", "catalog", audit.Diff(nil, &cropsAudited{int64(len(crops)), total})))
	})
}

// SeedCrops stores the catalog that Tilth comes with, if there is none yet.
func (o *Operating) SeedCrops(ctx context.Context, read func() ([]farm.Crop, error)) error {
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		have, err := tx.Catalog.CountCrops(ctx)
		if err != nil || have > 0 {
			return err
		}
		crops, err := read()
		if err != nil {
			return err
		}
		return tx.Catalog.UpsertCrops(ctx, crops, o.Clock.Now())
	})
}

// EnsureSigningKey makes the first key that access tokens are signed with. Replicas that start at
// the same time may make two; both verify.
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

// RotateSigningKey makes a new key for access tokens. Tokens signed with earlier keys are valid
// until they expire.
func (o *Operating) RotateSigningKey(ctx context.Context) (ports.SigningKey, error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (key ports.SigningKey, err error) {
		key = o.newSigningKey()
		if err := tx.Accounts.AddSigningKey(ctx, key); err != nil {
			return key, err
		}
		return key, tx.Trail.Add(ctx, o.ofInstallation(key.CreatedAt, audit.Create, "signing_key", key.ID, nil))
	})
}

// ImportCurves stores a version of the reference curves of a region. It is in force from then on, in place of
// the previous version; versions are never changed. Faults: Invalid, Conflict (curves_exist).
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
		return tx.Trail.Add(ctx, o.ofInstallation(edition.ImportedAt, audit.Create, "curves", region, audit.Diff(auditedCurves(before), auditedCurves(&edition))))
	})
	return edition, err
}

// CurvesInForce returns the curves in force, one edition per region.
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
