// Package link holds the signed links of sample plans. They are printed on labels and field sheets, and open one sample or one
// plan without a password for whoever holds the paper. The package knows no addresses.
package link

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"tilth/core/record"
)

// Kind is what a link opens.
type Kind string

// The kinds of links. The tokens of a label link each open one sample of a round; that of a sheet link opens the plan.
const (
	Label Kind = "label"
	Sheet Kind = "field_sheet"
)

// Kinds lists the kinds of links.
var Kinds = []Kind{Label, Sheet}

// The lifetimes of the links.
const (
	labelMonths = 24
	sheetDays   = 90
)

// Link covers one printing of labels or of a field sheet. Its tokens are made with its secret when they are printed,
// and are not stored.
type Link struct {
	ID        int64 `audit:"-"`
	CompanyID int64 `audit:"-"`
	PlanID    int64
	PlanUUID  string `audit:"-"`
	Kind      Kind
	Round     int64       // of the samples
	Secret    string      `audit:"-"`
	CreatedAt time.Time   `audit:"-"`
	CreatedBy *record.Ref `audit:"-"` // nil where the user no longer exists
	ExpiresAt time.Time
	RevokedAt *time.Time `audit:"-"`
}

// New returns a link of a plan that lives from now on.
func New(kind Kind, planID, round int64, secret string, now time.Time) Link {
	out := Link{PlanID: planID, Kind: kind, Round: round, Secret: secret, CreatedAt: now, ExpiresAt: now.AddDate(0, labelMonths, 0)}
	if kind == Sheet {
		out.ExpiresAt = now.AddDate(0, 0, sheetDays)
	}
	return out
}

// Today reports whether the link was made on the day of now (UTC) and lives. Printing again on that day yields the same tokens.
func (l *Link) Today(now time.Time) bool {
	const day = time.DateOnly
	return l.Lives(now) && l.CreatedAt.UTC().Format(day) == now.UTC().Format(day)
}

// Lives reports whether the link is neither revoked nor expired.
func (l *Link) Lives(now time.Time) bool { return l.RevokedAt == nil && now.Before(l.ExpiresAt) }

// Token is the end of an address below link/: the link, the sample that it opens (for a sheet link, the plan), and a
// signature of both, 128 bits. As text it is base64url without padding.
type Token struct {
	Link, Subject int64
	signature     []byte
}

const (
	signatureBytes = 16
	maxToken       = 2*binary.MaxVarintLen64 + signatureBytes
)

// Token returns the text of the token that opens a subject.
func (l *Link) Token(subject int64) string {
	t := Token{Link: l.ID, Subject: subject}
	return base64.RawURLEncoding.EncodeToString(append(t.named(), l.sign(t)...))
}

// named returns the encoded ids that a token names.
func (t Token) named() []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(t.Link)), uint64(t.Subject))
}

func (l *Link) sign(t Token) []byte {
	mac := hmac.New(sha256.New, []byte(l.Secret))
	mac.Write([]byte("tilth link 1\x00" + string(l.Kind) + "\x00"))
	mac.Write(t.named())
	return mac.Sum(nil)[:signatureBytes]
}

// Parse reads the text of a token. It proves nothing about what the token names; see [Link.Opens].
func Parse(text string) (t Token, ok bool) {
	if len(text) > base64.RawURLEncoding.EncodedLen(maxToken) {
		return t, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= signatureBytes {
		return t, false
	}
	names := raw[:len(raw)-signatureBytes]
	id, n := binary.Uvarint(names)
	if n <= 0 {
		return t, false
	}
	subject, m := binary.Uvarint(names[n:])
	t = Token{Link: int64(id), Subject: int64(subject), signature: raw[len(names):]}
	// Each token has exactly one text: leading zeros and negative numbers are refused.
	return t, m > 0 && t.Link > 0 && t.Subject > 0 && bytes.Equal(t.named(), names)
}

// Opens reports whether a token was signed with the secret of the link, and the link lives.
func (l *Link) Opens(t Token, now time.Time) bool {
	return l.Secret != "" && l.ID == t.Link && hmac.Equal(l.sign(t), t.signature) && l.Lives(now)
}
