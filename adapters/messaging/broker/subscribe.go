package broker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxBatch is the maximum number of messages that are handed on at a time, or are on their way to the broker.
	maxBatch = 500
	// ackWithin is how soon a process must report that it works on a message, before another gets it.
	ackWithin = 15 * time.Second
	workEvery = 5 * time.Second
	// pullFor is how long the broker holds an empty request for messages.
	pullFor = 30 * time.Second
	// maxDelay is the longest time until a message that was not handled comes again.
	maxDelay = time.Minute
)

// For returns the subscriber of a consumer. Its messages are shared by all processes, and come again until one of them has
// handled them; or, with each, every process gets all that is published while it is connected, once or not at all.
func (b *Broker) For(consumer string, each bool) message.Subscriber {
	return subscriber{b, consumer, each}
}

type subscriber struct {
	*Broker
	consumer string
	each     bool
}

// Close implements message.Subscriber; the connection is the broker's.
func (subscriber) Close() error { return nil }

// Subscribe hands on batches of events until the context ends.
func (s subscriber) Subscribe(ctx context.Context, _ string) (<-chan *message.Message, error) {
	out := make(chan *message.Message)
	session := s.pull
	if s.each {
		session = s.listen
	}
	go func() {
		defer close(out)
		for tries := 1; ctx.Err() == nil; tries++ {
			began := time.Now()
			err := session(ctx, out)
			if time.Since(began) > ackWithin {
				tries = 1
			}
			if ctx.Err() == nil {
				s.o.Log.DebugContext(ctx, "a consumer of the broker starts over", "consumer", s.consumer, "error", err)
				s.rest(ctx, tries)
			}
		}
	}()
	return out, nil
}

// rest waits before another try: for the connection, if that is missing.
func (s subscriber) rest(ctx context.Context, tries int) {
	s.mu.Lock()
	returned := s.returned
	s.mu.Unlock()
	timer := time.NewTimer(pause(tries))
	defer timer.Stop()
	var again <-chan time.Time
	if s.conn.IsConnected() {
		again = timer.C
	}
	select {
	case <-ctx.Done():
	case <-returned:
	case <-again:
	}
}

// pull hands on what the durable consumer receives, until the context or the consumer ends.
func (s subscriber) pull(ctx context.Context, out chan<- *message.Message) error {
	stream, err := s.stream(ctx)
	if err != nil {
		return err
	}
	asking, cancel := s.asking(ctx)
	defer cancel()
	consumer, err := stream.CreateOrUpdateConsumer(asking, jetstream.ConsumerConfig{
		Durable: "tilth-" + s.consumer, Description: "Consumer of Tilth's own processes",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWithin, MaxAckPending: 4 * maxBatch,
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	arrived := make(chan jetstream.Msg, maxBatch)
	pulling, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case arrived <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessages(maxBatch), jetstream.PullExpiry(pullFor), jetstream.PullHeartbeat(pullFor/3),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			if !errors.Is(err, jetstream.ErrNoHeartbeat) || s.conn.IsConnected() {
				stop(err)
			}
		}))
	if err != nil {
		return err
	}
	defer giveBack(arrived)
	defer pulling.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-arrived:
			s.handOn(ctx, out, gather(m, arrived))
		}
	}
}

// giveBack returns to the broker what was not begun, so that another process gets it at once.
func giveBack(arrived <-chan jetstream.Msg) {
	for {
		select {
		case m := <-arrived:
			_ = m.Nak() // it comes again in any case
		default:
			return
		}
	}
}

// gather returns a message with those that have arrived since.
func gather[T any](first T, arrived <-chan T) []T {
	all := []T{first}
	for len(all) < maxBatch {
		select {
		case m := <-arrived:
			all = append(all, m)
		default:
			return all
		}
	}
	return all
}

// handOn hands a batch to the consumer, and tells the broker that it is being worked on, and then the outcome.
func (s subscriber) handOn(ctx context.Context, out chan<- *message.Message, all []jetstream.Msg) {
	var good []jetstream.Msg
	var bodies [][]byte
	for _, m := range all {
		if s.event(m.Data(), m.Subject()) {
			good, bodies = append(good, m), append(bodies, m.Data())
		} else {
			_ = m.Term() // it comes again if the broker does not hear of it
		}
	}
	if len(good) == 0 {
		return
	}
	handed := s.hand(ctx, out, bodies, func() {
		for _, m := range good {
			_ = m.InProgress()
		}
	})
	for _, m := range good {
		switch {
		case handed:
			_ = m.Ack() // if this is lost the event comes again, which consumers expect
		case ctx.Err() != nil:
			_ = m.Nak()
		default:
			_ = m.NakWithDelay(delayOf(m))
		}
	}
}

// delayOf returns after how long a message that was not handled comes again.
func delayOf(m jetstream.Msg) time.Duration {
	meta, err := m.Metadata()
	if err != nil {
		return maxPause
	}
	return min(maxDelay, firstPause<<min(meta.NumDelivered, 10))
}

// event reports whether a message is an event, and counts it.
func (s subscriber) event(data []byte, subject string) bool {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil || e.ID == "" || e.Type == "" {
		s.ignored.Add(1)
		s.o.Log.Warn("a message on the broker is not an event, and is ignored", "subject", subject, "consumer", s.consumer)
		return false
	}
	s.received.Add(1)
	return true
}

// hand hands a batch to the consumer, and reports whether the consumer has handled it. working is called from time to time meanwhile.
func (s subscriber) hand(ctx context.Context, out chan<- *message.Message, bodies [][]byte, working func()) bool {
	raw := make([]json.RawMessage, len(bodies))
	for i, body := range bodies {
		raw[i] = body
	}
	payload, err := json.Marshal(raw)
	if err != nil {
		return false
	}
	m := message.NewMessage(watermill.NewUUID(), payload)
	m.SetContext(ctx)
	ticker := time.NewTicker(workEvery)
	defer ticker.Stop()
	to := out
	for {
		select {
		case to <- m:
			to = nil
		case <-m.Acked():
			return true
		case <-m.Nacked():
			return false
		case <-ctx.Done():
			return false
		case <-ticker.C:
			working()
		}
	}
}

// listen hands on what is published while this process is connected, until the context or the connection ends.
func (s subscriber) listen(ctx context.Context, out chan<- *message.Message) error {
	arrived := make(chan *nats.Msg, maxBatch)
	sub, err := s.conn.ChanSubscribe(s.o.subjects(), arrived)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-arrived:
			var bodies [][]byte
			for _, m := range gather(m, arrived) {
				if s.event(m.Data, m.Subject) {
					bodies = append(bodies, m.Data)
				}
			}
			if len(bodies) > 0 {
				s.hand(ctx, out, bodies, func() {})
			}
		}
	}
}
