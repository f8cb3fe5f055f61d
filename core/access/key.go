package access

import (
	"strings"
	"time"
	"unicode/utf8"

	"tilth/core/fault"
)

// APIKey is a credential of a user for programs. Its text is shown once; what is kept
// is a hash, and a prefix by which people recognise it.
type APIKey struct {
	ID        int64 `audit:"-"`
	CompanyID int64 `audit:"-"`
	User      Named // on whose behalf the key acts
	Name      string
	Prefix    string
	Hash      string   `audit:"-"`
	Slugs     []string // patterns, see Match; none: all that the user may do
	ExpiresAt *time.Time
	RevokedAt *time.Time `audit:"-"`
	CreatedAt time.Time  `audit:"-"`
}

// maxKeySlugs bounds the patterns of a key.
const maxKeySlugs = 100

// Check returns what is wrong with a new key.
func (k *APIKey) Check(now time.Time) fault.Fields {
	f := fault.Fields{}
	if k.Name == "" {
		f.Add("name", "This field may not be blank.")
	}
	if n := utf8.RuneCountInString(k.Name); n > 255 {
		f.Addf("name", "At most 255 characters; this has %d.", n)
	}
	if !utf8.ValidString(k.Name) || strings.ContainsRune(k.Name, 0) {
		f.Add("name", "This is no text.")
	}
	if k.ExpiresAt != nil && !k.ExpiresAt.After(now) {
		f.Add("expires_at", "A time that is still to come.")
	}
	if len(k.Slugs) > maxKeySlugs {
		f.Addf("slugs", "At most %d patterns.", maxKeySlugs)
	}
	for _, pattern := range k.Slugs {
		if !ValidPattern(pattern) {
			f.Addf("slugs", "%q is no permission; write it as field.view, field.* or *.view.", shortened(pattern))
		}
	}
	return f
}

// shortened bounds what is quoted back.
func shortened(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// Usable refuses a key that was revoked or has expired. Faults: Unauthenticated.
func (k *APIKey) Usable(now time.Time) error {
	switch {
	case k.RevokedAt != nil:
		return BadKey()
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return fault.New(fault.Unauthenticated, "api_key_expired", "The API key has expired.")
	}
	return nil
}

// BadKey is the refusal of a key that never was, or is no more.
func BadKey() error {
	return fault.New(fault.Unauthenticated, "api_key_invalid", "The API key is not valid.")
}
