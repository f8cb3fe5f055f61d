package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
)

// Company is a company of the installation.
type Company struct {
	ID            int64
	UUID          string
	Name          string
	PolicyVersion int64 // grows with every change of its roles or their holders
	CreatedAt     time.Time
}

// CompanySeen is a company as the operator sees it.
type CompanySeen struct {
	Company
	Users         int64
	Wallet        credit.Wallet
	Subscriptions []Subscription // by service
}

// Companies are the companies as the operator sees them, in order of id, without their subscriptions. Filters: id, name, uuid, service.
type Companies interface {
	Whole[CompanySeen]
	// Rename stores a new name. Faults: NotFound, Conflict (company_exists).
	Rename(ctx context.Context, id int64, name string) error
	// NoneYet reports whether there is no company yet, and blocks other callers until the transaction ends.
	NoneYet(ctx context.Context) (bool, error)
}

// Account is a user as the operator sees it. Those of all companies are listed in order of id. Filters: id, company, email,
// role, disabled, operator.
type Account struct {
	Member
	CompanyID int64  // 0: an operator
	Company   string // its name
	Password  bool   // it can sign in with one
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

// RefreshToken is one link of a family of refresh tokens. Only its hash is stored.
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

// Accounts are companies, users, roles, tokens and keys.
type Accounts interface {
	// CreateCompany stores a company with its roles and fills in the id. Faults: Conflict when the name is taken.
	CreateCompany(ctx context.Context, company *Company, roles []access.RoleTemplate) error
	// Company returns a company. Faults: NotFound.
	Company(ctx context.Context, id int64) (Company, error)
	// CreateUser stores a user and fills in the id. Faults: Conflict (code "email_taken").
	CreateUser(ctx context.Context, user *User) error
	// GiveRole assigns a role of its company to a user and raises the policy version. Faults: NotFound when there is no such role.
	GiveRole(ctx context.Context, userID, companyID int64, role string) error
	// UserByEmail returns a user by e-mail, whatever its case. Faults: NotFound.
	UserByEmail(ctx context.Context, email string) (User, error)
	// Caller returns the user and the policy version of its company, in one query. Faults: NotFound.
	Caller(ctx context.Context, userID int64) (User, int64, error)
	// Holder returns the user of a refresh token that is valid at a time, by its hash, as Caller does. Faults: NotFound.
	Holder(ctx context.Context, hash string, now time.Time) (User, int64, error)
	// UserByExternalID returns the user that an identity provider's person is bound to. Faults: NotFound.
	UserByExternalID(ctx context.Context, id ExternalID) (User, error)
	// BindExternalID binds a person of an identity provider to a user. Faults: Conflict where the
	// person is bound, or the user to another person of that provider.
	BindExternalID(ctx context.Context, id ExternalID, userID int64, at time.Time) error
	// UnbindExternalIDs removes the bindings of a user and returns how many there were.
	UnbindExternalIDs(ctx context.Context, userID int64) (int64, error)
	// SetDisabled disables or enables a user.
	SetDisabled(ctx context.Context, userID int64, disabled bool) error
	// RolesOf returns the roles that a user holds in a company, each with its slug patterns in
	// order, no older than the version of the company's policy that it returns. Faults: NotFound
	// for the company.
	RolesOf(ctx context.Context, companyID, userID int64) (roles map[string][]string, version int64, err error)
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

// Passwords hashes and checks passwords, a few at a time. A caller waits for its turn no longer than its context lasts.
type Passwords interface {
	Hash(ctx context.Context, password string) (string, error)
	// Check reports whether a password matches a hash; it takes equally long for an empty hash.
	Check(ctx context.Context, password, hash string) (bool, error)
}

// Tokens makes and verifies access tokens.
type Tokens interface {
	// Issue signs a token for a user. Its lifetime starts now.
	Issue(ctx context.Context, userID int64, now time.Time, ttl time.Duration) (string, error)
	// Verify returns the user of a token. Faults: Unauthenticated (codes "token_expired", "token_invalid").
	Verify(ctx context.Context, token string, now time.Time) (userID int64, err error)
}

// ClientTokens makes and checks the access tokens of clients that are not users.
type ClientTokens interface {
	// IssueFor signs a token about a subject for an audience other than that of users' tokens; only VerifyFor accepts it.
	IssueFor(ctx context.Context, audience, subject string, now time.Time, ttl time.Duration) (string, error)
	// VerifyFor returns the subject of a token of an audience. Faults: as in [Tokens].
	VerifyFor(ctx context.Context, audience, token string, now time.Time) (subject string, err error)
}

// ExternalIssuer verifies the access tokens of an external identity provider.
type ExternalIssuer interface {
	// Issued reports whether a token claims to be from this issuer. Nothing is verified.
	Issued(token string) bool
	// Verify returns whom a token vouches for. Faults: Unauthenticated (token_expired,
	// token_invalid, email_unverified), Unavailable (issuer_unavailable).
	Verify(ctx context.Context, token string) (Vouched, error)
}

// SignInProvider signs people in at an external identity provider: OpenID Connect, code flow with PKCE.
type SignInProvider interface {
	// Name is the address of the provider.
	Name() string
	// Address returns where a browser is sent to sign in. Faults: Unavailable (issuer_unavailable).
	Address(ctx context.Context, s SigningIn) (string, error)
	// Redeem exchanges the code that a browser came back with, and returns whom the provider vouches for. Faults: Unauthenticated
	// (sign_in_refused, token_expired, token_invalid, email_unverified), Unavailable (issuer_unavailable).
	Redeem(ctx context.Context, code string, s SigningIn) (Vouched, error)
}

// SigningIn is what a sign-in at a provider is recognised by; each member but the first is a secret of the browser that began it.
type SigningIn struct {
	Return   string // the page that the browser comes back to
	State    string // comes back with the browser
	Nonce    string // comes back in the token
	Verifier string // of PKCE: proves to the provider who began the sign-in
}

// ExternalID names a person as an identity provider does, for good.
type ExternalID struct {
	Issuer  string
	Subject string
}

// Vouched is whom a token of an identity provider vouches for.
type Vouched struct {
	ExternalID
	Email string
}

// Permissions decides whether a caller has a permission.
type Permissions interface {
	// Allowed is called for every guarded action; a changed role is in force on the next one.
	Allowed(ctx context.Context, who access.Principal, slug access.Slug) (bool, error)
}

// Subscription is a company's subscription to a service.
type Subscription struct {
	CompanyID int64
	Service   access.Service
	Until     *time.Time // civil date, the last day; nil: without end
	GrantedAt time.Time
}

// Subscriptions are the subscriptions of the companies.
type Subscriptions interface {
	// Active reports whether a company's subscription covers a day (a civil date, UTC).
	Active(ctx context.Context, companyID int64, service access.Service, day time.Time) (bool, error)
	// Get returns a subscription, ended or not. Faults: NotFound.
	Get(ctx context.Context, companyID int64, service access.Service) (Subscription, error)
	// Of returns the subscriptions of companies, ended or not, by company and service.
	Of(ctx context.Context, companyIDs ...int64) ([]Subscription, error)
	// Put stores a subscription, in place of the previous one.
	Put(ctx context.Context, s Subscription) error
	// Drop ends a subscription. Faults: NotFound.
	Drop(ctx context.Context, companyID int64, service access.Service) error
}

// KeyWriter stores API keys.
type KeyWriter interface {
	// Insert stores a key of the scope's company and fills in its id.
	Insert(ctx context.Context, scope access.Scope, key *access.APIKey) error
}

// APIKeys are the API keys of a company's users. Revoked ones are not found.
type APIKeys interface {
	KeyWriter
	// List is in order of id. The filter is external_id.
	List[access.APIKey, Query]
	Keyed
	Readable[access.APIKey]
	// Revoke ends a key for good. Faults: NotFound.
	Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error
}

// KeyRing finds the key behind a credential, before it is known whose it is.
type KeyRing interface {
	KeyWriter
	// ByHash returns a key by the hash of its text, including revoked and expired ones. Faults: NotFound.
	ByHash(ctx context.Context, hash string) (access.APIKey, error)
}

// GrantQuery selects share grants, ordered by id. Zero values do not narrow it.
type GrantQuery struct {
	Given    bool // only those the company gives
	Received bool // only those addressed to it
	Status   access.GrantStatus
	Farm     int64
	Field    int64
	IDs      []int64  // nil: any
	Keys     []string // external ids; nil: any
	Limit    int64    // 0: all
	Offset   int64
	At       *Place // see [Query]
	From
}

// Page returns the bounds of a query; a limit of 0 is none.
func (q GrantQuery) Page() (limit, offset int64) { return q.Limit, q.Offset }

// Chunk returns the same query with other bounds, at a place.
func (q GrantQuery) Chunk(limit, offset int64, at *Place) GrantQuery {
	q.Limit, q.Offset, q.At = limit, offset, at
	return q
}

// Grants are the share grants that a company gives or is offered, in order of id.
type Grants interface {
	List[access.Grant, GrantQuery]
	Lockable[access.Grant]
	// Keyed covers the grants that a company gives and that have not ended.
	Keyed
	// Insert stores a grant of the company and fills in its id.
	Insert(ctx context.Context, scope access.Scope, grant *access.Grant) error
	// SetStatus stores the status of a grant read by GetForUpdate. Faults: NotFound.
	SetStatus(ctx context.Context, scope access.Scope, id int64, status access.GrantStatus, at time.Time) error
	// Party returns the company with a uuid: companies name one another by it and cannot be listed. Faults: NotFound.
	Party(ctx context.Context, uuid string) (access.Party, error)
}
