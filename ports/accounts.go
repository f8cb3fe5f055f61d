package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
)

// Company is a tenant.
type Company struct {
	ID            int64
	UUID          string
	Name          string
	PolicyVersion int64 // grows with every change of its roles or their holders
	CreatedAt     time.Time
}

// User is a person who signs in.
type User struct {
	ID           int64
	CompanyID    int64 // 0: an operator
	Email        string
	Name         string
	PasswordHash string // argon2id; empty: no password sign-in
	Disabled     bool
	CreatedAt    time.Time
}

// RefreshToken is one link of a family of refresh tokens. Only the hash of the
// token is kept.
type RefreshToken struct {
	Hash      string
	Family    string
	UserID    int64
	ExpiresAt time.Time
	UsedAt    *time.Time
	RevokedAt *time.Time
}

// SigningKey signs access tokens. All replicas and the command line read the same keys.
type SigningKey struct {
	ID        string
	Seed      []byte // Ed25519 seed
	CreatedAt time.Time
	RetiredAt *time.Time
}

// Policy is who holds which role in a company, and what each role may do.
type Policy struct {
	RoleSlugs map[string][]string // role → slug patterns
	UserRoles map[int64][]string  // user → roles
}

// OperatorRepos is the bundle that is not bound to a company.
type OperatorRepos struct {
	Accounts Accounts
	Prices   Prices
	Catalog  CropWriter
	Wallet   Wallet // for `tilth wallet credit`, under the scope of the company named
	Outbox   Outbox
	Keys     KeyRing
	Audit    AuditWriter
	Trail    OperatorTrail
	Curves   CurveSets
	Replays  Replays

	// What a one-time link or a background job does for a company, under its scope.
	Members     Members
	Invitations Invitations
	Tickets     Tickets
	Credentials Credentials
	Attempts    Attempts
	Letters     Letters
	Jobs        JobKeeper

	// What the consumers of events do for all companies.
	Events   EventKeeper
	Webhooks WebhookKeeper

	Subscriptions Subscriptions
	Orders        OrderKeeper
	LayerRasters  LayerRasters
	Maps          MapKeeper

	Assessments   AssessmentUpkeep
	EngineChoices EngineChoices
}

// Accounts are companies, users, roles, tokens and keys.
type Accounts interface {
	// CreateCompany stores a company with its roles and fills in the id. Faults: Conflict when the name is taken.
	CreateCompany(ctx context.Context, company *Company, roles []access.RoleTemplate) error
	// Company returns a company. Faults: NotFound.
	Company(ctx context.Context, id int64) (Company, error)
	// CreateUser stores a user and fills in the id. Faults: Conflict (code "email_taken").
	CreateUser(ctx context.Context, user *User) error
	// GiveRole returns a user a role of its company and raises the policy version. Faults: NotFound when there is no such role.
	GiveRole(ctx context.Context, userID, companyID int64, role string) error
	// UserByEmail returns a user by e-mail, whatever its case. Faults: NotFound.
	UserByEmail(ctx context.Context, email string) (User, error)
	// Caller returns the user and the policy version of its company, in one query. Faults: NotFound.
	Caller(ctx context.Context, userID int64) (User, int64, error)
	// SetDisabled disables or enables a user.
	SetDisabled(ctx context.Context, userID int64, disabled bool) error
	// Policy returns a company's whole policy with its version.
	Policy(ctx context.Context, companyID int64) (Policy, int64, error)
	// AddRefresh stores a refresh token.
	AddRefresh(ctx context.Context, token RefreshToken) error
	// Refresh returns a refresh token by its hash and locks it. Faults: NotFound.
	Refresh(ctx context.Context, hash string) (RefreshToken, error)
	// UseRefresh marks a refresh token used.
	UseRefresh(ctx context.Context, hash string, at time.Time) error
	// RevokeFamily revokes every token of a family.
	RevokeFamily(ctx context.Context, family string, at time.Time) error
	// SigningKeys returns the keys, newest first, retired ones included.
	SigningKeys(ctx context.Context) ([]SigningKey, error)
	// AddSigningKey stores a key and retires the ones before it.
	AddSigningKey(ctx context.Context, key SigningKey) error
}

// Prices are the prices per hectare of the services.
type Prices interface {
	SetPrice(ctx context.Context, service string, price credit.Amount, at time.Time) error
}

// CropWriter writes the crop catalog; only the operator's command line does.
type CropWriter interface {
	// UpsertCrops stores crops by their slug; those not named are left as they are.
	UpsertCrops(ctx context.Context, crops []farm.Crop, at time.Time) error
	CountCrops(ctx context.Context) (int64, error)
}

// Passwords hashes and checks passwords.
type Passwords interface {
	Hash(password string) (string, error)
	// Check reports whether a password fits a hash; it takes as long for an empty hash.
	Check(password, hash string) (bool, error)
}

// Tokens makes and verifies access tokens.
type Tokens interface {
	// Issue signs a token for a user. Its lifetime starts now.
	Issue(ctx context.Context, userID int64, now time.Time, ttl time.Duration) (string, error)
	// Verify returns the user of a token. Faults: Unauthenticated (codes "token_expired", "token_invalid").
	Verify(ctx context.Context, token string, now time.Time) (userID int64, err error)
}

// Permissions decides whether a caller has a permission.
type Permissions interface {
	// Allowed is asked on every guarded action; a change of a role is in force on the next one.
	Allowed(ctx context.Context, who access.Principal, slug access.Slug) (bool, error)
}

// Clock tells the time.
type Clock interface{ Now() time.Time }

// IDs makes identifiers and secrets.
type IDs interface {
	// UUID returns a new random UUID.
	UUID() string
	// Secret returns 256 random bits as URL-safe text.
	Secret() string
	// Jitter returns a number in [0, 1).
	Jitter() float64
}
