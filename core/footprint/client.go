package footprint

import (
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/webhook"
)

// Client is a data recipient that a company shows its footprints to: a credential, and where its own system receives events.
type Client struct {
	record.Meta
	record.External
	Name       string
	ClientID   string // the public part of the credential
	SecretHash string `audit:"-"`
	// Generation counts the secrets: tokens of an earlier one are invalid.
	Generation int `audit:"-"`

	EventsURL       string // empty: no events are sent to it
	TokenURL        string // empty: events are sent without a token
	RecipientID     string // the id by which its system knows us
	RecipientSecret string `audit:"-"`
}

// Check normalises a client and returns what is wrong with it. The sender decides whether its addresses may be posted to.
func (c *Client) Check() fault.Fields {
	f := fault.Fields{}
	c.Name = strings.TrimSpace(c.Name)
	f.RequiredText("name", c.Name, maxName)
	c.External.Check(f)
	const tooLong = "At most %d bytes."
	f.AddIf(len(c.EventsURL) > webhook.MaxURL, "events_url", tooLong, webhook.MaxURL)
	f.AddIf(len(c.TokenURL) > webhook.MaxURL, "token_url", tooLong, webhook.MaxURL)
	f.Text("recipient_client_id", c.RecipientID, maxName)
	f.Text("recipient_client_secret", c.RecipientSecret, maxText)
	if c.EventsURL == "" && c.TokenURL != "" {
		f.Add("events_url", "Without it no events are sent, and token_url means nothing.")
	}
	if (c.TokenURL != "") != (c.RecipientID != "") || (c.TokenURL != "") != (c.RecipientSecret != "") {
		f.Add("token_url", "Give token_url, recipient_client_id and recipient_client_secret together, or none of them.")
	}
	return f
}

// Taken is the state of an event that a client sent.
const Taken webhook.State = "received"

// Message is an event that a client sent, or that is sent to it.
type Message struct {
	ID        int64
	ClientID  int64
	Incoming  bool
	Source    string
	EventID   string
	EventType string
	Body      string
	CreatedAt time.Time
	Delivery  webhook.Delivery // of an outgoing one: its state, tries and outcome; an incoming one has the state Taken
}
