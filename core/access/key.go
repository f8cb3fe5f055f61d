package access

import (
	"time"
	"unicode/utf8"

	"tilth/core/fault"
	"tilth/core/record"
)

// APIKey is a credential with which a program acts as a user. Its text is shown once; the
// record keeps a hash, and a prefix by which people recognise the key.
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
	record.External
}

// maxKeySlugs bounds the patterns of a key.
const maxKeySlugs = 100

// Check returns what is wrong with a new key.
func (k *APIKey) Check(now time.Time) fault.Fields {
	f := fault.Fields{}
	f.RequiredText("name", k.Name, 255)
	k.External.Check(f)
	if k.ExpiresAt != nil && !k.ExpiresAt.After(now) {
		f.Add("expires_at", "A time in the future.")
	}
	if len(k.Slugs) > maxKeySlugs {
		f.Addf("slugs", "At most %d patterns.", maxKeySlugs)
	}
	for _, pattern := range k.Slugs {
		if !ValidPattern(pattern) {
			f.Addf("slugs", "%q is not a permission; write it as field.view, field.* or *.view.", shortened(pattern))
		}
	}
	return f
}

// shortened bounds the length of an input that an error text quotes.
func shortened(text string) string {
	const maxQuoted = 60
	if utf8.RuneCountInString(text) <= maxQuoted {
		return text
	}
	return string([]rune(text)[:maxQuoted]) + "…"
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

// BadKey refuses a key that does not exist or was revoked.
func BadKey() error {
	return fault.New(fault.Unauthenticated, "api_key_invalid", "The API key is not valid.")
}
