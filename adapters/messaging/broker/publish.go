package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// mediaEvent is the content type of a message: a CloudEvent in JSON (bindings/nats-protocol-binding.md: structured mode).
const mediaEvent = "application/cloudevents+json"

const headerContent = "content-type"

// envelope is the part of an event that the broker needs.
type envelope struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	CompanyID int64  `json:"companyid"` // 0: of no company
}

// Publish stores batches of events, each event as a message of its own, in order. It returns nil only when the broker has
// stored them all; a repeat of one that it has stored is dropped.
func (b *Broker) Publish(_ string, batches ...*message.Message) error {
	for _, batch := range batches {
		err := b.publish(batch)
		b.mu.Lock()
		if b.trouble = err; err != nil {
			b.there = false
		}
		b.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Broker) publish(batch *message.Message) error {
	var all []json.RawMessage
	if err := json.Unmarshal(batch.Payload, &all); err != nil {
		return fmt.Errorf("a batch of events: %w", err)
	}
	ctx, cancel := context.WithTimeout(batch.Context(), 2*askWithin)
	defer cancel()
	if err := b.ready(ctx); err != nil {
		return err
	}
	sent := make([]jetstream.PubAckFuture, 0, len(all))
	var err error
	for _, one := range all {
		var e envelope
		if err = json.Unmarshal(one, &e); err != nil {
			break
		}
		m := &nats.Msg{Subject: b.o.subject(e.CompanyID, e.Type), Data: one, Header: nats.Header{headerContent: {mediaEvent}}}
		// No retry of a single event: it would come after its successors.
		stored, failed := b.js.PublishMsgAsync(m, jetstream.WithMsgID(e.ID), jetstream.WithExpectStream(b.o.Stream), jetstream.WithRetryAttempts(0))
		if failed != nil {
			err = failed
			break
		}
		sent = append(sent, stored)
	}
	for _, one := range sent {
		select {
		case <-one.Ok():
			b.published.Add(1)
		case failed := <-one.Err():
			b.refused.Add(1)
			err = errors.Join(err, failed)
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
		if err != nil && b.conn.Status() != nats.CONNECTED {
			return err // the others will not be answered
		}
	}
	return err
}
