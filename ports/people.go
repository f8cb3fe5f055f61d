package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/record"
)

// Member is a user as its company sees it.
type Member struct {
	ID        int64
	Name      string
	Email     string
	Roles     []string // names, sorted
	Disabled  bool
	CreatedAt time.Time
	// AlertMail says that the user wants letters about the alerts of watched fields.
	AlertMail bool
	record.External
}

// Members are the users of a company, in order of id. Filters: email, disabled, role, external_id.
type Members interface {
	// Lock blocks other changes to a company's users, roles and invitations. Faults: NotFound.
	Lock(ctx context.Context, scope access.Scope) error
	// Changed raises the policy version, so that changed roles are in force on the next request.
	Changed(ctx context.Context, scope access.Scope) error
	List[Member, Query]
	Readable[Member]
	Keyed
	// Update stores name, roles, origin and whether the user is disabled. Faults: NotFound, also for a role.
	Update(ctx context.Context, scope access.Scope, member Member) error
	// WantAlertMail stores whether a user wants letters about alerts. Faults: NotFound.
	WantAlertMail(ctx context.Context, scope access.Scope, id int64, wanted bool) error
	// Owners counts the enabled users that hold the role owner.
	Owners(ctx context.Context, scope access.Scope) (int64, error)
}

// Roles are the roles of a company.
type Roles interface {
	// All returns the roles in order of id.
	All(ctx context.Context, scope access.Scope) ([]access.Role, error)
	Readable[access.Role]
	Keyed
	// Insert stores a new role and fills in its id. Faults: Conflict (role_exists).
	Insert(ctx context.Context, scope access.Scope, role *access.Role) error
	// Update stores name, slugs and origin. Faults: NotFound, Conflict (role_exists).
	Update(ctx context.Context, scope access.Scope, role access.Role) error
	// Delete removes a role that nobody holds. Faults: NotFound.
	Delete(ctx context.Context, scope access.Scope, id int64) error
	// Invited counts the open invitations that grant a role.
	Invited(ctx context.Context, scope access.Scope, id int64, now time.Time) (int64, error)
}

// Invitation invites somebody into a company.
type Invitation struct {
	ID         int64
	CompanyID  int64
	Company    string // its name; read only
	Email      string
	Name       string
	Roles      []string // names, sorted
	CreatedAt  time.Time
	CreatedBy  int64
	Inviter    string // name of CreatedBy; read only
	ExpiresAt  time.Time
	AcceptedAt *time.Time
	RevokedAt  *time.Time
}

// Open reports whether the invitation can still be accepted.
func (i Invitation) Open(now time.Time) bool {
	return i.AcceptedAt == nil && i.RevokedAt == nil && now.Before(i.ExpiresAt)
}

// Invitations are the invitations of a company, in order of id. Filters: email.
type Invitations interface {
	List[Invitation, Query]
	Readable[Invitation]
	// Insert stores a new invitation with the hash of its link's token, and fills in its id. Faults: NotFound for a role.
	Insert(ctx context.Context, scope access.Scope, invitation *Invitation, hash string) error
	// Accept marks an invitation accepted.
	Accept(ctx context.Context, scope access.Scope, id int64, at time.Time) error
	// Revoke marks an open invitation revoked, with its links.
	Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error
	// RevokeOf revokes the open invitations of an e-mail address.
	RevokeOf(ctx context.Context, scope access.Scope, email string, at time.Time) error
}

// Ticket is behind a one-time link: an invitation, or the right to set a new password. Only its hash is stored.
type Ticket struct {
	Hash         string
	InvitationID int64 // 0: a new password
	CompanyID    int64 // of the invitation
	UserID       int64 // whose password; 0: an invitation
	CreatedAt    time.Time
	ExpiresAt    time.Time
	UsedAt       *time.Time
}

// Tickets are the one-time links.
type Tickets interface {
	Add(ctx context.Context, ticket Ticket) error
	// Get returns a ticket by the hash of its token and locks it. Faults: NotFound.
	Get(ctx context.Context, hash string) (Ticket, error)
	// UseAll marks the unused tickets of a user (for a new password) or of an invitation used.
	UseAll(ctx context.Context, userID, invitationID int64, at time.Time) error
	// LastFor returns when the newest ticket for a new password was made for a user; the zero time for none.
	LastFor(ctx context.Context, userID int64) (time.Time, error)
	// Purge drops the tickets that expired before a time.
	Purge(ctx context.Context, before time.Time) error
}

// Credentials change what a user authenticates with.
type Credentials interface {
	// SetPassword stores the hash of a new password. Faults: NotFound.
	SetPassword(ctx context.Context, userID int64, hash string) error
	// RevokeOf revokes every refresh token of a user.
	RevokeOf(ctx context.Context, userID int64, at time.Time) error
}

// Attempts count wrong passwords, for all replicas.
type Attempts interface {
	// Get returns the counters of keys, in their order, empty ones where there are none.
	Get(ctx context.Context, keys ...string) ([]access.Attempts, error)
	// Lock is Get under locks that end with the transaction; missing counters are created.
	Lock(ctx context.Context, at time.Time, keys ...string) ([]access.Attempts, error)
	Put(ctx context.Context, attempts access.Attempts) error
	// Clear forgets the counter of a key.
	Clear(ctx context.Context, key string) error
	// Purge forgets the counters whose last failure was before a time.
	Purge(ctx context.Context, before time.Time) error
	// Known reports whether a place has been known since a time.
	Known(ctx context.Context, place string, since time.Time) (bool, error)
	// Know makes a place known, and forgets some of those last known before a time.
	Know(ctx context.Context, place string, at, before time.Time) error
}

// Kinds of letters.
const (
	LetterInvitation = "invitation"
	LetterReset      = "password_reset"
	LetterGuesses    = "wrong_passwords"
	LetterAlerts     = "alerts"
)

// Letter is a request to write to somebody. Its text and its link are made when it is sent.
type Letter struct {
	ID           int64
	Kind         string
	Email        string
	CompanyID    int64 // of the invitation, or of the alerts
	InvitationID int64 // 0: none
	Alerts       []AlertNotice
	CreatedAt    time.Time
}

// AlertNotice is an alert of a watched field, as a letter reports it.
type AlertNotice struct {
	Field    string    `json:"field"` // its name
	FieldID  int64     `json:"field_id"`
	Season   string    `json:"season"`
	SeasonID int64     `json:"season_id"`
	Index    string    `json:"index"`
	Date     string    `json:"date"` // of the observation
	Value    float64   `json:"value"`
	Against  *float64  `json:"against"`
	Message  string    `json:"message"`
	At       time.Time `json:"at"` // when it was raised
}

// AlertBox takes alerts in the transaction that raises them, to be reported by letter.
type AlertBox interface {
	Put(ctx context.Context, scope access.Scope, alerts ...AlertNotice) error
}

// AlertNotices are the alerts that no letter has reported yet.
type AlertNotices interface {
	// Companies returns the companies that have such alerts raised before a time.
	Companies(ctx context.Context, before time.Time) ([]int64, error)
	// Take removes those of a company that were raised before a time, and returns them in the order in which they were raised.
	Take(ctx context.Context, company int64, before time.Time) ([]AlertNotice, error)
}

// LetterBox takes letters in the transaction that requests them.
type LetterBox interface {
	// Put stores a letter and fills in its id; the same letter that still waits keeps its place.
	Put(ctx context.Context, letter *Letter) error
}

// Letters are the letters that wait.
type Letters interface {
	LetterBox
	// Get returns a letter. Faults: NotFound.
	Get(ctx context.Context, id int64) (Letter, error)
	// Drop removes a letter that was sent, or never will be.
	Drop(ctx context.Context, id int64) error
}

// Message is a letter as it is sent.
type Message struct {
	ID      string // the same for every try, so that a receiver can drop repeats
	To      string // e-mail address
	Name    string // of the receiver; may be empty
	Subject string
	Text    string
	At      time.Time
}

// Mailer sends letters.
//
// Faults: Unavailable when the mail server is unreachable or does not accept letters now; Invalid
// (code "mail_refused") when it will never accept this one.
type Mailer interface {
	Send(ctx context.Context, message Message) error
	// Describe returns one line that says where letters go, without secrets.
	Describe() string
}
