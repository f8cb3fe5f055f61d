// Package broker carries events on NATS JetStream, behind watermill's interfaces. An installation has one stream, whose
// subjects are NAME.COMPANY.TYPE; a message is one CloudEvent in JSON, as the NATS binding of CloudEvents specifies it, so
// that other systems may consume them. It decides nothing about events, and does not require an event to be its own: whoever reads
// them from it reads from the database what they mean.
package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tilth/ports"
)

// Times and bounds of the connection and the stream.
const (
	connectWithin = 2 * time.Second
	askWithin     = 5 * time.Second // how long the broker may take to answer
	pingEvery     = 10 * time.Second
	firstPause    = 500 * time.Millisecond // between tries to reach a broker that is unreachable
	maxPause      = 5 * time.Second
	// sameWithin is how long the broker remembers the id of an event, and drops a repeat. A relay that was killed between storing
	// an event and noting that repeats it when its lease has run out; one whose broker was unreachable, when the broker is back.
	sameWithin = time.Hour
)

// Options say where the broker is and what the stream keeps.
type Options struct {
	Servers []string          // nats://, tls://, ws:// or wss:// each, with user and password or a token where there are any
	Files   map[string]string // creds, nkey, ca, cert and key: files that authenticate the client and the server
	Stream  string            // name of the stream, and the first word of its subjects
	Keep    time.Duration     // how long events stay in the stream
	Bytes   int64             // how many bytes of them; the oldest are dropped first
	Copies  int               // on how many nodes of a cluster, for a stream that is made here
	Client  string            // name of this process at the broker
	Log     *slog.Logger
}

// Broker is the connection to a broker. It is safe for concurrent use.
type Broker struct {
	o    Options
	conn *nats.Conn
	js   jetstream.JetStream
	back chan struct{} // holds a value after the connection came back

	mu       sync.Mutex
	there    bool // whether the stream is known to exist, on this connection
	trouble  error
	returned chan struct{} // closed when the connection comes back, and made anew
	lost     chan struct{} // closed when it goes, and made anew

	published, refused, received, ignored atomic.Int64
}

// Connect returns the connection to a broker, which may be unreachable: it is tried again until Close.
func Connect(o Options) (*Broker, error) {
	b := &Broker{o: o, back: make(chan struct{}, 1), returned: make(chan struct{}), lost: make(chan struct{})}
	options, err := o.security()
	if err != nil {
		return nil, err
	}
	options = append(options,
		nats.Name(o.Client), nats.Timeout(connectWithin), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.ReconnectBufSize(-1), // what cannot be sent at once stays in the outbox
		nats.CustomReconnectDelay(pause),
		nats.ConnectHandler(b.cameBack), nats.ReconnectHandler(b.cameBack),
		nats.DisconnectErrHandler(b.wentAway),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Log.Warn("the broker reports an error", "error", err)
		}),
	)
	if b.conn, err = nats.Connect(strings.Join(o.Servers, ","), options...); err != nil {
		return nil, fmt.Errorf("TILTH_BROKER_URL: %w", err)
	}
	if !b.conn.IsConnected() {
		o.Log.Warn("the broker is unreachable; events wait in the database", "error", b.conn.LastError())
	}
	b.js, err = jetstream.New(b.conn, jetstream.WithPublishAsyncMaxPending(maxBatch), jetstream.WithPublishAsyncTimeout(askWithin))
	return b, err
}

// security returns the options of the files.
func (o Options) security() (out []nats.Option, err error) {
	if file := o.Files["creds"]; file != "" {
		out = append(out, nats.UserCredentials(file))
	}
	if file := o.Files["nkey"]; file != "" {
		option, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			return nil, fmt.Errorf("TILTH_BROKER_URL: the nkey in %s: %w", file, err)
		}
		out = append(out, option)
	}
	if file := o.Files["ca"]; file != "" {
		out = append(out, nats.RootCAs(file))
	}
	if cert := o.Files["cert"]; cert != "" {
		out = append(out, nats.ClientCert(cert, o.Files["key"]))
	}
	return out, nil
}

// pause returns how long to wait after a number of failed tries.
func pause(tries int) time.Duration {
	step := min(maxPause, firstPause<<min(max(tries-1, 0), 8))
	return step/2 + rand.N(step/2)
}

func (b *Broker) wentAway(_ *nats.Conn, err error) {
	if err != nil {
		b.o.Log.Warn("the broker is unreachable; events wait in the database", "error", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.lost)
	b.lost = make(chan struct{})
}

// cameBack is called by the connection, maybe before Connect has stored it.
func (b *Broker) cameBack(conn *nats.Conn) {
	b.o.Log.Info("connected to the broker", "server", conn.ConnectedUrlRedacted(), "stream", b.o.Stream)
	b.mu.Lock()
	b.there = false // it may be another broker, or have lost what it had
	close(b.returned)
	b.returned = make(chan struct{})
	b.mu.Unlock()
	select {
	case b.back <- struct{}{}:
	default:
	}
}

// Back has a value after the broker came back.
func (b *Broker) Back() <-chan struct{} { return b.back }

// errAway reports that there is no connection.
var errAway = errors.New("the broker is not connected")

// Away returns why nothing can be sent; nil: there is a connection.
func (b *Broker) Away() error {
	if b.conn.IsConnected() {
		return nil
	}
	return errors.Join(errAway, b.conn.LastError())
}

// Check returns what keeps events from being stored: there is no connection, or the last of them was not stored.
func (b *Broker) Check(context.Context) error {
	if err := b.Away(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trouble
}

// Close ends the connection.
func (b *Broker) Close() error {
	b.conn.Close()
	return nil
}

// Traffic returns what went over the connection since the process began.
func (b *Broker) Traffic() ports.BrokerTraffic {
	return ports.BrokerTraffic{
		Connected: b.conn.IsConnected(), Published: b.published.Load(), Refused: b.refused.Load(), Received: b.received.Load(), Ignored: b.ignored.Load(),
	}
}

// subjects returns the subjects of the stream.
func (o Options) subjects() string { return o.Stream + ".*.*" }

// subject returns the subject of an event.
func (o Options) subject(company int64, typ string) string {
	return o.Stream + "." + strconv.FormatInt(company, 10) + "." + typ
}

// config returns the configuration with which the stream is made.
func (o Options) config() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: o.Stream, Subjects: []string{o.subjects()}, Description: "Events of Tilth, as CloudEvents",
		Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, Discard: jetstream.DiscardOld,
		MaxAge: o.Keep, MaxBytes: o.Bytes, Replicas: o.Copies, Duplicates: min(sameWithin, o.Keep),
	}
}

// asking bounds a request to the broker, and cancels it when the connection is lost.
func (b *Broker) asking(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	b.mu.Lock()
	lost := b.lost
	b.mu.Unlock()
	go func() {
		select {
		case <-lost:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// stream returns the stream, which it makes if there is none. What another installation, or an operator, has configured
// stays, except for how much the stream keeps, which follows the settings.
func (b *Broker) stream(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := b.asking(ctx)
	defer cancel()
	want := b.o.config()
	stream, err := b.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if stream, err = b.js.CreateStream(ctx, want); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			stream, err = b.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the stream %s of the broker: %w", want.Name, err)
	}
	have := stream.CachedInfo().Config
	if have.MaxAge == want.MaxAge && have.MaxBytes == want.MaxBytes && have.Duplicates == want.Duplicates {
		return stream, nil
	}
	have.MaxAge, have.MaxBytes, have.Duplicates = want.MaxAge, want.MaxBytes, want.Duplicates
	if changed, err := b.js.UpdateStream(ctx, have); err == nil {
		return changed, nil
	} else if ctx.Err() != nil {
		return nil, err
	} else {
		b.o.Log.Warn("the stream keeps its settings: the broker refused the change", "stream", want.Name, "error", err)
	}
	return stream, nil
}

// ready makes sure that the stream exists, once for each connection.
func (b *Broker) ready(ctx context.Context) error {
	b.mu.Lock()
	there := b.there
	b.mu.Unlock()
	if there {
		return nil
	}
	if _, err := b.stream(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.there = true
	return nil
}
