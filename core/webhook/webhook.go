// Package webhook holds the rules of webhooks: which events an address receives, the
// secrets that sign its deliveries, when a failed delivery is tried again, and when a
// webhook is switched off. It sends nothing and signs nothing.
package webhook

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/record"
)

// Bounds of a webhook.
const (
	MaxURL         = 2048 // bytes
	MaxDescription = 1000 // characters
)

const (
	// OldSecretFor is how long deliveries are signed with the previous secret too.
	OldSecretFor = 24 * time.Hour
	// GivenUpAfter is how long every delivery must have failed before a webhook is switched off.
	GivenUpAfter = 5 * 24 * time.Hour
	// pauseFirst and pauseMost bound the pause of a whole webhook after failures in a row.
	// It is never longer than the pause before the failed delivery itself is tried again.
	pauseFirst = 5 * time.Second
	pauseMost  = 5 * time.Minute
)

// Webhook is an address of a company's own to which its events are posted.
type Webhook struct {
	record.Meta
	record.External
	URL            string
	Description    string
	EventTypes     []string // sorted; none: every type
	IsActive       bool
	DisabledReason string // why the program switched it off; empty where it did not

	Secret         string     `audit:"-"` // whsec_…
	PreviousSecret string     `audit:"-"` // empty: none
	PreviousUntil  *time.Time `audit:"-"` // until when the previous secret signs too

	Failures     int        `audit:"-"` // failed tries since the last success
	FailingSince *time.Time `audit:"-"` // the first of them
	PausedUntil  *time.Time `audit:"-"` // nothing new is sent before this
	Last         *Last      `audit:"-"` // nil: nothing was sent yet
}

// Last is the latest try to deliver anything.
type Last struct {
	At         time.Time
	Delivered  bool
	StatusCode int // 0: there was no answer
}

// Check normalises a webhook and returns what is wrong with it. The sender decides whether
// its address may be posted to at all.
func (w *Webhook) Check() fault.Fields {
	f := fault.Fields{}
	if w.URL == "" {
		f.Add("url", "This field may not be blank.")
	}
	if len(w.URL) > MaxURL {
		f.Addf("url", "At most %d bytes; this has %d.", MaxURL, len(w.URL))
	}
	f.Text("description", w.Description, MaxDescription)
	w.External.Check(f)
	for _, typ := range w.EventTypes {
		if !event.Known(typ) {
			f.Addf("event_types", "There are no events of this type; the types are: %s.", strings.Join(event.Types(), ", "))
			break
		}
	}
	w.EventTypes = slices.Clone(w.EventTypes)
	slices.Sort(w.EventTypes)
	w.EventTypes = slices.Compact(w.EventTypes)
	return f
}

// Wants reports whether the webhook receives events of a type.
func (w *Webhook) Wants(typ string) bool {
	return w.IsActive && (len(w.EventTypes) == 0 || slices.Contains(w.EventTypes, typ))
}

// Switched applies a change of IsActive: a webhook that is switched on again has no failures.
func (w *Webhook) Switched(was bool) {
	if w.IsActive && !was {
		w.DisabledReason, w.Failures, w.FailingSince, w.PausedUntil = "", 0, nil, nil
	}
}

// NewSecret returns a secret in the form of Standard Webhooks, from random bytes in base64url: the bytes in base64
// after whsec_ (github.com/standard-webhooks/standard-webhooks, spec, "Signature scheme").
func NewSecret(random string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(random)
	if err != nil {
		return "", fmt.Errorf("make a secret: %w", err)
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(raw), nil
}

// Rotate sets a new secret. The previous one signs too, for OldSecretFor.
func (w *Webhook) Rotate(secret string, now time.Time) {
	until := now.Add(OldSecretFor)
	w.PreviousSecret, w.PreviousUntil, w.Secret = w.Secret, &until, secret
}

// Secrets returns the secrets that sign deliveries, the newest first.
func (w *Webhook) Secrets(now time.Time) []string {
	if w.PreviousSecret != "" && w.PreviousUntil != nil && now.Before(*w.PreviousUntil) {
		return []string{w.Secret, w.PreviousSecret}
	}
	return []string{w.Secret}
}

// Tried records the outcome of a delivery. It may switch the webhook off.
func (w *Webhook) Tried(o Outcome, now time.Time) {
	w.Last = &Last{At: now, Delivered: o.Delivered(), StatusCode: o.StatusCode}
	if o.Delivered() {
		w.Failures, w.FailingSince, w.PausedUntil = 0, nil, nil
		return
	}
	w.Failures++
	if w.FailingSince == nil {
		since := now
		w.FailingSince = &since
	}
	pause := min(pauseMost, pauseFirst<<min(w.Failures-1, 10))
	until := now.Add(max(pause, o.retryAfter()))
	w.PausedUntil = &until
	switch {
	case !w.IsActive:
	case o.Gone():
		w.IsActive, w.DisabledReason = false, "The address answered 410 Gone."
	case now.Sub(*w.FailingSince) >= GivenUpAfter:
		w.IsActive = false
		w.DisabledReason = fmt.Sprintf("Every delivery has failed since %s; the last: %s", w.FailingSince.UTC().Format(time.RFC3339), o.Problem())
	}
}

// SendAt returns when the next delivery may be sent: now, or when the pause ends.
func (w *Webhook) SendAt(now time.Time) time.Time {
	if w.PausedUntil != nil && w.PausedUntil.After(now) {
		return *w.PausedUntil
	}
	return now
}
