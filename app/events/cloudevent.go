package events

import (
	"encoding/json"
	"time"

	"tilth/core/event"
)

// CloudEvent is an event outside of the database, on every path: CloudEvents 1.0 in its
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
	Sequence        string          `json:"sequence,omitempty"` // position in the feed of the company; empty in no feed
	Data            json.RawMessage `json:"data"`
}

// Media is the content type of one CloudEvent.
const Media = "application/cloudevents+json"

// CloudEventOf returns the CloudEvent of an event.
func CloudEventOf(e event.Logged) CloudEvent {
	return CloudEvent{
		SpecVersion: "1.0", ID: e.ID, Source: "/tilth", Type: e.Type, Subject: e.Subject, Time: e.At,
		DataContentType: "application/json", CompanyID: e.CompanyID, Data: e.Data,
	}.at(e.Position)
}

// at returns the event with its position in the feed; 0: it is in none.
func (e CloudEvent) at(position int64) CloudEvent {
	e.Sequence = ""
	if position > 0 {
		e.Sequence = event.FormatPosition(position)
	}
	return e
}
