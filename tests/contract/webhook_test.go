package contract

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/event"
	"tilth/tests/rig"
)

// receiver is an address that deliveries are posted to. It answers 200 unless it is told
// otherwise, for a number of times.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	got     []received
	answers []int
}

type received struct {
	id, timestamp, signature, contentType string
	body                                  []byte
}

func newReceiver(t *testing.T, answers ...int) *receiver {
	t.Helper()
	r := &receiver{answers: answers}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		h := req.Header
		r.got = append(r.got, received{h.Get("webhook-id"), h.Get("webhook-timestamp"), h.Get("webhook-signature"), h.Get("Content-Type"), body})
		status := http.StatusOK
		if len(r.answers) > 0 {
			status, r.answers = r.answers[0], r.answers[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "thank you")
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) received() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// await waits until n deliveries have come.
func (r *receiver) await(t *testing.T, n int) []received {
	t.Helper()
	rig.Eventually(t, func() bool { return len(r.received()) >= n }, 10*time.Minute, 10*time.Millisecond)
	return r.received()
}

// signed reports whether one of the signatures of a delivery was made with a secret. It
// was written from the text of Standard Webhooks, not with the program's own code.
func (d received) signed(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(d.id + "." + d.timestamp + "."))
	mac.Write(d.body)
	want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for signature := range strings.SplitSeq(d.signature, " ") {
		version, value, _ := strings.Cut(signature, ",")
		if version == "v1" && hmac.Equal([]byte(value), []byte(want)) {
			return true
		}
	}
	return false
}

func openHooks(c *cli.Config) { c.WebhookAllowHTTP, c.WebhookAllowPrivate = true, true }

func TestWebhooks(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		var log locked
		s := rig.Start(t, rig.Options{Database: database, Config: openHooks, Log: &log})
		p, c, other := newPublisher(t, database), s.Company("owner", 0), s.Company("owner", 0)
		target := newReceiver(t, 500)

		made := c.Expect(200, "POST", "webhook/", map[string]any{"url": target.URL + "/a?b=c", "event_types": []string{event.TypeProfileCompleted}})
		require.Equal(t, "no-store", made.Header.Get("Cache-Control"))
		secret, hook := made.Data(t)["secret"].(string), int64(made.Data(t)["id"].(float64))
		require.True(t, strings.HasPrefix(secret, "whsec_"))

		// The first answer is 500; the same delivery is repeated after a pause.
		ids := p.publish(c.CompanyID, 1)
		p.publish(other.CompanyID, 3)
		got := target.await(t, 2)
		for _, d := range got {
			require.Equal(t, ids[0], d.id)
			require.True(t, d.signed(secret))
			require.Equal(t, got[0].body, d.body)
			require.Equal(t, "application/cloudevents+json", d.contentType)
		}
		var body map[string]any
		require.NoError(t, json.Unmarshal(got[0].body, &body))
		for name, want := range map[string]any{
			"specversion": "1.0", "id": ids[0], "type": event.TypeProfileCompleted, "companyid": float64(c.CompanyID), "sequence": event.FormatPosition(1), "datacontenttype": "application/json",
		} {
			require.Equal(t, want, body[name], name)
		}
		deliveries := func(query string) (out []map[string]any) {
			c.Expect(200, "GET", path("webhook", hook)+"deliveries/"+query, nil).Into(t, &out)
			return out
		}
		rig.Eventually(t, func() bool { return len(deliveries("?state=delivered")) == 1 }, 10*time.Minute, 10*time.Millisecond)
		d := deliveries("?page=1&page_size=1")[0]
		require.EqualValues(t, 2, d["attempt"])
		require.EqualValues(t, 200, d["status_code"])
		require.Equal(t, "thank you", d["answer"])
		require.Nil(t, d["next_try_at"])
		require.Empty(t, deliveries("?state=failed"))
		c.Expect(400, "GET", path("webhook", hook)+"deliveries/?state=lost", nil)

		// A new secret, and for a day the old one too.
		rotated := c.Expect(200, "POST", path("webhook", hook)+"rotate-secret/", nil).Data(t)
		fresh := rotated["secret"].(string)
		require.NotEqual(t, secret, fresh)
		test := c.Expect(200, "POST", path("webhook", hook)+"test/", nil).Data(t)
		require.Equal(t, "delivered", test["state"])
		require.Equal(t, "webhook_test", test["event_type"])
		last := target.await(t, 3)[2]
		require.True(t, last.signed(fresh) && last.signed(secret))

		// The same is sent again on demand.
		again := c.Expect(200, "POST", path("webhook", hook)+"deliveries/"+itoa(int64(d["id"].(float64)))+"/retry/", nil).Data(t)
		require.Equal(t, "pending", again["state"])
		require.Equal(t, ids[0], target.await(t, 4)[3].id)

		// Only those two responses contain a secret.
		for _, answer := range []rig.Answer{
			c.Expect(200, "GET", "webhook/", nil), c.Expect(200, "GET", path("webhook", hook), nil), c.Expect(200, "GET", "audit/", nil),
			c.Expect(200, "PATCH", path("webhook", hook), `{"description":"ours"}`), c.Expect(200, "GET", path("webhook", hook)+"deliveries/", nil),
		} {
			require.NotContains(t, string(answer.Body), "whsec_")
		}
		require.NotContains(t, log.String(), "whsec_")
		require.Empty(t, send(t, s, c, "POST", path("webhook", hook)+"rotate-secret/", nil, "Idempotency-Key", "k").Header.Get("Idempotent-Replay"))
		require.Empty(t, send(t, s, c, "POST", path("webhook", hook)+"rotate-secret/", nil, "Idempotency-Key", "k").Header.Get("Idempotent-Replay"))

		// A redirect is not followed, and 410 ends the deliveries.
		target.mu.Lock()
		target.answers = []int{302, 410}
		target.mu.Unlock()
		test = c.Expect(200, "POST", path("webhook", hook)+"test/", nil).Data(t)
		require.Equal(t, []any{"failed", float64(302)}, []any{test["state"], test["status_code"]})
		require.Len(t, target.received(), 5, "nobody went elsewhere")
		p.publish(c.CompanyID, 1)
		rig.Eventually(t, func() bool {
			return c.Expect(200, "GET", path("webhook", hook), nil).Data(t)["is_active"] == false
		}, 10*time.Minute, 10*time.Millisecond)
		off := c.Expect(200, "GET", path("webhook", hook), nil).Data(t)
		require.Equal(t, "The address answered 410 Gone.", off["disabled_reason"])
		require.EqualValues(t, 410, off["last_delivery"].(map[string]any)["status_code"])
		require.Len(t, deliveries("?state=failed"), 2)
		conflict := c.Expect(409, "POST", path("webhook", hook)+"deliveries/"+itoa(int64(d["id"].(float64)))+"/retry/", nil).Map(t)
		require.Equal(t, "webhook_inactive", conflict["code"])
		for _, body := range target.received() {
			require.NotContains(t, string(body.body), `"companyid":`+itoa(other.CompanyID)+",")
		}
	})
}

// One slow address delays nobody else, and a killed process loses nothing that was
// committed: deliveries are rows of the transaction that gives the event its position.
func TestWebhooksSurviveAKill(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		archive := rig.Archive(t).Dir
		settings := []string{"TILTH_WEBHOOK_ALLOW_HTTP=true", "TILTH_WEBHOOK_ALLOW_PRIVATE=true"}
		released := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-released:
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(slow.Close)
		t.Cleanup(func() { close(released) })
		quick := newReceiver(t)
		first := rig.StartProcess(t, database, archive, settings...)
		c, p := rig.Remote(t, first.URL, tokenOf(t, database)), newPublisher(t, database)
		const company = 1
		c.Make("webhook/", map[string]any{"url": slow.URL})
		c.Make("webhook/", map[string]any{"url": quick.URL})
		want := p.publish(company, 5)
		quick.await(t, 5)
		written := make(chan []string, 1)
		go func() { written <- p.publish(company, 30) }()
		quick.await(t, 8)
		first.Kill()
		want = append(want, <-written...)
		rig.StartProcess(t, database, archive, settings...)
		rig.Eventually(t, func() bool {
			seen := map[string]bool{}
			for _, d := range quick.received() {
				seen[d.id] = true
			}
			return len(seen) == len(want)
		}, 10*time.Minute, 20*time.Millisecond)
		for _, d := range quick.received() {
			require.Contains(t, want, d.id)
		}
	})
}

// Unless the operator allows it, nothing is posted without TLS, or into private networks.
func TestWebhookAddresses(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Config: func(c *cli.Config) { c.WebhookAllowHTTP = true }})
	c, target := s.Company("owner", 0), newReceiver(t)
	for _, bad := range []string{
		target.URL, "https://10.0.0.1/", "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest/meta-data/", "https://u:p@hooks.example.org/", "nothing", "ftp://a.example/", "https://a.example:22/",
	} {
		a := c.Expect(400, "POST", "webhook/", map[string]any{"url": bad}).Map(t)
		require.Contains(t, a["details"], "url", bad)
	}
	a := c.Expect(400, "POST", "webhook/", map[string]any{"url": "", "event_types": []string{"nothing"}}).Map(t)
	require.Contains(t, a["details"], "url")

	// A name reveals nothing until it is dialled.
	hook := c.Make("webhook/", map[string]any{"url": strings.Replace(target.URL, "127.0.0.1", "localhost", 1)})
	test := c.Expect(200, "POST", path("webhook", hook)+"test/", nil).Data(t)
	require.Equal(t, "failed", test["state"])
	require.Contains(t, test["error"], "not public")
	require.Nil(t, test["status_code"])
	require.Empty(t, target.received())

	// Versions, as with every record.
	at := path("webhook", hook)
	tag := send(t, s, c, "GET", at, nil).Header.Get("ETag")
	require.Equal(t, 304, send(t, s, c, "GET", at, nil, "If-None-Match", tag).Status)
	changed := send(t, s, c, "PUT", at, `{"url":"https://hooks.example.org/","is_active":false}`, "If-Match", tag)
	require.Equal(t, 200, changed.Status, "%s", changed.Body)
	require.Equal(t, 412, send(t, s, c, "DELETE", at, nil, "If-Match", tag).Status)
	require.Equal(t, 400, send(t, s, c, "PATCH", at, `{"url":"https://192.168.0.1/"}`).Status)
	require.Equal(t, 204, send(t, s, c, "DELETE", at, nil, "If-Match", changed.Header.Get("ETag")).Status)
	for _, request := range [][2]string{{"GET", at}, {"GET", at + "deliveries/"}, {"POST", at + "test/"}, {"POST", at + "rotate-secret/"}, {"DELETE", at}} {
		c.Expect(404, request[0], request[1], nil)
	}
}
