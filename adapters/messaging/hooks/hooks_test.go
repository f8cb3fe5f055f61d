package hooks

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tilth/core/webhook"
	"tilth/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The test vector that the Standard Webhooks project publishes with its libraries
// (libraries/go/webhook_test.go, TestWebhookSign).
func TestSignAsPublished(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	got, err := Sign([]string{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	require.NoError(t, err)
	require.Equal(t, want, got)
	two, err := Sign([]string{"whsec_AAAA", secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(two, " "+want), two)
	_, err = Sign([]string{"whsec_not base64"}, "i", time.Unix(0, 0), nil)
	require.NotContains(t, err.Error(), "not base64", "the error does not quote it")
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1"} {
		require.True(t, public(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{
		"127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200",
		"0.0.0.0", "0.1.2.3", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1",
		"203.0.113.7", "168.63.129.16", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
		"::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "fec0::1", "100::1", "3fff::1",
	} {
		require.False(t, public(netip.MustParseAddr(text)), text)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	strict, open := New(Rules{}, "t"), New(Rules{AllowHTTP: true, AllowPrivate: true}, "t")
	for _, c := range []struct {
		url          string
		strict, open bool
	}{
		{"https://hooks.example.org/a?b=c", true, true},
		{"https://hooks.example.org:8443/", true, true},
		{"http://hooks.example.org/", false, true},
		{"https://127.0.0.1/", false, true},
		{"https://[::1]:8443/", false, true},
		{"https://[::ffff:10.0.0.1]/", false, true},
		{"https://localhost/", true, true}, // a name: what it resolves to is looked at when it is dialled
		{"https://user@hooks.example.org/", false, false},
		{"https://user:password@hooks.example.org/", false, false},
		{"https://hooks.example.org/#part", false, false},
		{"https://hooks.example.org:25/", false, false},
		{"https://hooks.example.org:0/", false, false},
		{"https://hooks.example.org:99999/", false, false},
		{"ftp://hooks.example.org/", false, false},
		{"hooks.example.org", false, false},
		{"https:///path", false, false},
		{"https:hooks.example.org", false, false},
		{"https://hooks.example.org/\x00", false, false},
		{"", false, false},
	} {
		require.Equal(t, c.strict, strict.Check(c.url) == "", "%q: %s", c.url, strict.Check(c.url))
		require.Equal(t, c.open, open.Check(c.url) == "", "%q: %s", c.url, open.Check(c.url))
	}
}

func send(t *testing.T, s *Sender, url string) webhook.Outcome {
	t.Helper()
	defer s.Close()
	return s.Send(t.Context(), ports.Parcel{URL: url, ID: "id", At: time.Unix(1, 0), Body: []byte(`{}`), Secrets: []string{"whsec_AAAA"}})
}

func TestSend(t *testing.T) {
	t.Parallel()
	var followed bool
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s", r.Method, r.Header.Get("Content-Type"), body)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/followed", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/followed", func(http.ResponseWriter, *http.Request) { followed = true })
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat("é\x00", 1000))); err != nil {
				return
			}
		}
	})
	target := httptest.NewServer(mux)
	defer target.Close()
	open := func() *Sender { return New(Rules{AllowHTTP: true, AllowPrivate: true}, "t") }

	o := send(t, open(), target.URL+"/ok")
	require.Equal(t, 200, o.StatusCode)
	require.Equal(t, "POST application/cloudevents+json {}", o.Answer)
	require.Positive(t, o.Duration)
	o = send(t, open(), target.URL+"/redirect")
	require.Equal(t, 307, o.StatusCode)
	require.False(t, followed)
	require.Equal(t, 2*time.Minute, send(t, open(), target.URL+"/busy").RetryAfter)
	o = send(t, open(), target.URL+"/endless")
	require.True(t, o.Delivered(), "what is said after the header does not matter")
	require.LessOrEqual(t, len(o.Answer), 3*excerpt)
	require.NotContains(t, o.Answer, "\x00")

	// A name that resolves to this machine is refused when it is dialled, whatever it resolved to before.
	_, port, err := net.SplitHostPort(target.Listener.Addr().String())
	require.NoError(t, err)
	o = send(t, New(Rules{AllowHTTP: true}, "t"), "http://localhost:"+port+"/ok")
	require.Equal(t, refusedAddress, o.Error)
	require.Zero(t, o.StatusCode)
	require.Equal(t, refusedAddress, send(t, New(Rules{AllowHTTP: true}, "t"), target.URL+"/ok").Error, "also one that was registered under looser rules")

	safe := httptest.NewTLSServer(mux)
	defer safe.Close()
	require.Contains(t, send(t, open(), safe.URL+"/ok").Error, "certificate")
	target.CloseClientConnections()
	target.Close()
	require.Contains(t, send(t, open(), target.URL+"/ok").Error, "could not be reached")
}

// A request to a target that takes it and stays silent ends when the caller leaves.
func TestSilentTarget(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server sees a caller leave once the body is read
		close(asked)
		<-r.Context().Done()
	}))
	defer target.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	s := New(Rules{AllowHTTP: true, AllowPrivate: true}, "t")
	defer s.Close()
	o := s.Send(ctx, ports.Parcel{URL: target.URL, ID: "id", At: time.Unix(1, 0), Secrets: []string{"whsec_AAAA"}})
	require.Zero(t, o.StatusCode)
	require.NotEmpty(t, o.Error)
	require.Equal(t, "The address did not answer in time.", reasonOf(context.DeadlineExceeded))
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "-5": 0, "soon": 0, "99999999999": 24 * time.Hour, "999999999999999999999999": 0,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		require.Equal(t, want, retryAfter(text, now), text)
	}
}
