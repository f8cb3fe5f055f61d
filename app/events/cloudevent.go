package events

import (
	"encoding/json"
	"time"

	"tilth/core/event"
)

// CloudEvent is an event as it leaves the program, on every way: CloudEvents 1.0 in its
// JSON format (github.com/cloudevents/spec, cloudevents/formats/json-format.md). companyid
// is an extension of ours; sequence is the documented extension of that name
// (cloudevents/extensions/sequence.md), text that sorts as the events do.
type CloudEvent struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Subject         string          `json:"subject"`
	Time            time.Time       `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	CompanyID       int64           `json:"companyid"`
	Sequence        string          `json:"sequence,omitempty"` // place in the feed of the company; left out outside of it
	Data            json.RawMessage `json:"data"`
}

// Media is the content type of one CloudEvent.
const Media = "application/cloudevents+json"

// CloudEventOf makes the CloudEvent of an event.
func CloudEventOf(e event.Logged) CloudEvent {
	out := CloudEvent{
		SpecVersion: "1.0", ID: e.ID, Source: "/tilth", Type: e.Type, Subject: e.Subject, Time: e.At,
		DataContentType: "application/json", CompanyID: e.CompanyID, Data: e.Data,
	}
	if e.Position > 0 {
		out.Sequence = event.FormatPosition(e.Position)
	}
	return out
}
