package contract

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

const pactBase = "/api/v1.2/pact"

// recipient is the system of a data recipient: a client of the PACT API with a credential, and its own address, which
// takes events.
type recipient struct {
	t                  *testing.T
	url                string // of the server, without a path
	id, secret, token  string
	proto              string // X-Forwarded-Proto; empty: none
	own                *httptest.Server
	mu                 sync.Mutex
	came               []map[string]any
	authorized, tokens []string
}

// reply is an answer of the PACT API.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (r reply) data(t *testing.T) (out []map[string]any) {
	t.Helper()
	list, ok := r.body["data"].([]any)
	require.True(t, ok, r.text)
	for _, one := range list {
		out = append(out, one.(map[string]any))
	}
	return out
}

func (r *recipient) send(method, address, content, body, authorization string) reply {
	r.t.Helper()
	if !strings.HasPrefix(address, "http") {
		address = r.url + pactBase + address
	}
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, address, reader)
	require.NoError(r.t, err)
	for name, value := range map[string]string{"Content-Type": content, "Authorization": authorization, "X-Forwarded-Proto": r.proto} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(r.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(r.t, err)
	out := reply{res.StatusCode, res.Header, string(text), nil}
	if len(text) > 0 {
		require.NoError(r.t, json.Unmarshal(text, &out.body), "%s", text)
	}
	return out
}

func basicOf(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
}

func (r *recipient) askToken(id, secret, form string) reply {
	r.t.Helper()
	return r.send("POST", "/auth/token", "application/x-www-form-urlencoded", form, basicOf(id, secret))
}

// signIn gets an access token.
func (r *recipient) signIn() *recipient {
	r.t.Helper()
	got := r.askToken(r.id, r.secret, "grant_type=client_credentials")
	require.Equal(r.t, 200, got.status, got.text)
	r.token = got.body["access_token"].(string)
	return r
}

func (r *recipient) get(address string) reply {
	r.t.Helper()
	return r.send("GET", address, "", "", "Bearer "+r.token)
}

func (r *recipient) event(id, kind, data string) string {
	return fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"https://conformance.example.org","time":%q,"type":"org.wbcsd.pact.ProductFootprint.%s.3","data":%s}`,
		id, time.Now().UTC().Format(time.RFC3339), kind, data)
}

func (r *recipient) post(id, kind, data string) reply {
	r.t.Helper()
	return r.send("POST", "/3/events", "application/cloudevents+json; charset=UTF-8", r.event(id, kind, data), "Bearer "+r.token)
}

// ids returns the ids of the footprints of a list, page by page.
func (r *recipient) ids(address string) (out []string) {
	r.t.Helper()
	for address != "" {
		page := r.get(address)
		require.Equal(r.t, 200, page.status, page.text)
		for _, one := range page.data(r.t) {
			out = append(out, one["id"].(string))
		}
		address = nextPage(page.header)
	}
	return out
}

var nextLink = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

func nextPage(h http.Header) string {
	if found := nextLink.FindStringSubmatch(h.Get("Link")); found != nil {
		return found[1]
	}
	return ""
}

// listen opens the recipient's own system, which issues tokens and takes events.
func (r *recipient) listen() {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /auth/token", func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		user, password, _ := req.BasicAuth()
		r.tokens = append(r.tokens, user+" "+password+" "+req.FormValue("grant_type"))
		_, _ = io.WriteString(w, `{"access_token": "of-the-recipient", "token_type": "bearer", "expires_in": 60}`)
	})
	mux.HandleFunc("POST /3/events", func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		var body map[string]any
		if json.NewDecoder(req.Body).Decode(&body) == nil {
			r.came, r.authorized = append(r.came, body), append(r.authorized, req.Header.Get("Authorization")+" "+req.Header.Get("Content-Type"))
		}
	})
	r.own = httptest.NewServer(mux)
	r.t.Cleanup(r.own.Close)
}

// await waits for an event of a kind whose data have a member with a value.
func (r *recipient) await(kind, member, value string) (out map[string]any) {
	r.t.Helper()
	rig.Eventually(r.t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, e := range r.came {
			data, _ := e["data"].(map[string]any)
			if e["type"] == "org.wbcsd.pact.ProductFootprint."+kind+".3" && strings.Contains(fmt.Sprint(data[member]), value) {
				out = data
				return true
			}
		}
		return false
	}, 10*time.Minute, 10*time.Millisecond)
	return out
}

// newRecipient makes a client of a company; with events it has a system of its own.
func newRecipient(t *testing.T, s *rig.Server, c *rig.Client, events bool) (*recipient, int64) {
	t.Helper()
	r := &recipient{t: t, url: s.URL}
	body := map[string]any{"name": "Mill"}
	if events {
		r.listen()
		body["events_url"], body["token_url"] = r.own.URL+"/3/events", r.own.URL+"/auth/token"
		body["recipient_client_id"], body["recipient_client_secret"] = "tilth", "of the mill"
	}
	made := c.Expect(200, "POST", "pact-client/", body)
	require.Equal(t, "no-store", made.Header.Get("Cache-Control"))
	data := made.Data(t)
	r.id, r.secret = data["client_id"].(string), data["client_secret"].(string)
	return r, int64(data["id"].(float64))
}

func publishPath(id int64, version int) string {
	return fmt.Sprintf("%ssubmissions/%d/publish/", assessmentAt(id), version)
}

func publishTerms(product string) map[string]any {
	return map[string]any{
		"product_ids": []string{product}, "cross_sectoral_standards": []string{"ISO14067"}, "exempted_emissions_percent": 0,
		"product_classifications": []string{"urn:pact:productclassification:un-cpc:0111"},
	}
}

// submittedWheat returns an assessment with one submitted version.
func submittedWheat(t *testing.T, c *rig.Client) int64 {
	t.Helper()
	id, _ := assess(t, c, wheatBody(t, c))
	c.Expect(200, "POST", submitPath(id), nil)
	return id
}

func openPACT(c *cli.Config) {
	openHooks(c)
	c.TrustedProxies = "127.0.0.0/8,::1/128"
}

// conformance is one case of the public conformance service for version 3, with its number and name in
// github.com/wbcsd/pact-conformance-service, docs/v3-test-cases-expected-results.md and src/test-cases/v3-test-cases.ts.
type conformance struct {
	number, name string
	check        func(t *testing.T, f *conforming)
}

// conforming is what the cases run against.
type conforming struct {
	*recipient
	first map[string]any // the first footprint of the list
	all   int
}

// filtered requires that a query answers with footprints that all pass a check, the first one among them.
func (f *conforming) filtered(t *testing.T, query string, holds func(one map[string]any) bool) {
	t.Helper()
	got := f.get("/3/footprints?" + query)
	require.Equal(t, 200, got.status, got.text)
	found := false
	for _, one := range got.data(t) {
		require.True(t, holds(one), "%v", one)
		found = found || one["id"] == f.first["id"]
	}
	require.True(t, found, got.text)
}

// empty requires that a query answers with an empty list.
func (f *conforming) empty(t *testing.T, query string) {
	t.Helper()
	got := f.get("/3/footprints?" + query)
	require.Equal(t, 200, got.status, got.text)
	require.Equal(t, `{"data":[]}`, got.text)
}

func (f *conforming) text(member string) string { return f.first[member].([]any)[0].(string) }

func contains(member, value string) func(map[string]any) bool {
	return func(one map[string]any) bool { return strings.Contains(fmt.Sprint(one[member]), value) }
}

func periodEnd(one map[string]any) time.Time {
	at, _ := time.Parse(time.RFC3339, one["pcf"].(map[string]any)["referencePeriodEnd"].(string))
	return at
}

// unread requires that a request without TLS is refused, and returns no data.
func unread(t *testing.T, f *conforming, ask func(r *recipient) reply) {
	t.Helper()
	got := ask(&recipient{t: t, url: f.url, id: f.id, secret: f.secret, token: f.token, proto: "http"})
	require.Equal(t, 400, got.status, got.text)
	require.Nil(t, got.body["data"])
	require.Nil(t, got.body["access_token"])
}

const someID = "3a6c14a7-4deb-498a-b5ea-16ce2535b576"

var conformanceCases = []conformance{
	{"1", "Obtain auth token with valid credentials", func(t *testing.T, f *conforming) {
		got := f.askToken(f.id, f.secret, "grant_type=client_credentials")
		require.Equal(t, 200, got.status)
		require.Equal(t, "Bearer", got.body["token_type"])
		require.Positive(t, got.body["expires_in"])
		require.NotEmpty(t, got.body["access_token"])
		require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	}},
	{"2", "Obtain auth token with invalid credentials", badCredentials},
	{"3", "Get PCF using GetFootprint", func(t *testing.T, f *conforming) {
		got := f.get("/3/footprints/" + f.first["id"].(string))
		require.Equal(t, 200, got.status)
		require.Equal(t, f.first, got.body["data"])
	}},
	{"4", "Get all PCFs using ListFootprints", func(t *testing.T, f *conforming) {
		got := f.get("/3/footprints")
		require.Equal(t, 200, got.status)
		require.Len(t, got.data(t), f.all)
		require.Empty(t, got.header.Get("Link"))
	}},
	{"5", "Pagination link implementation of Action ListFootprints", func(t *testing.T, f *conforming) {
		first := f.get("/3/footprints?limit=1")
		require.Len(t, first.data(t), 1)
		next := nextPage(first.header)
		require.True(t, strings.HasPrefix(next, f.url+pactBase+"/3/footprints?"), next)
		second, again := f.get(next), f.get(next)
		require.Equal(t, 200, second.status)
		require.Len(t, second.data(t), 1)
		require.Equal(t, second.text, again.text, "a link may be followed more than once")
		require.NotEqual(t, first.text, second.text)
		require.Len(t, f.ids("/3/footprints?limit=1"), f.all)
	}},
	{"6", "Attempt ListFootPrints with Invalid Token", func(t *testing.T, f *conforming) {
		refusedToken(t, f.send("GET", "/3/footprints", "", "", "Bearer very-invalid-access-token"))
	}},
	{"7", "Attempt GetFootprint with Invalid Token", func(t *testing.T, f *conforming) {
		refusedToken(t, f.send("GET", "/3/footprints/"+f.first["id"].(string), "", "", "Bearer very-invalid-access-token"))
	}},
	{"8", "Attempt GetFootprint with Non-Existent PfId", func(t *testing.T, f *conforming) {
		for _, id := range []string{"00000000-0000-0000-0000-000000000000", "non-existent-id"} {
			got := f.get("/3/footprints/" + id)
			require.Equal(t, 404, got.status)
			require.Equal(t, "NotFound", got.body["code"])
			require.NotEmpty(t, got.body["message"])
		}
	}},
	{"9", "Attempt Authentication through HTTP (non-HTTPS)", func(t *testing.T, f *conforming) {
		unread(t, f, func(r *recipient) reply { return r.askToken(r.id, r.secret, "grant_type=client_credentials") })
	}},
	{"10", "Attempt ListFootprints through HTTP (non-HTTPS)", func(t *testing.T, f *conforming) {
		unread(t, f, func(r *recipient) reply { return r.get("/3/footprints") })
	}},
	{"11", "Attempt GetFootprint through HTTP (non-HTTPS)", func(t *testing.T, f *conforming) {
		unread(t, f, func(r *recipient) reply { return r.get("/3/footprints/" + f.first["id"].(string)) })
	}},
	{"12", "Send Asynchronous PCF Request", func(t *testing.T, f *conforming) {
		got := f.post("run/12", "RequestCreatedEvent", `{"productId": ["`+f.text("productIds")+`"], "comment": "Please send PCF data for this year."}`)
		require.Equal(t, 200, got.status, got.text)
		require.Empty(t, got.text)
	}},
	{"13", "Received Request Fulfilled Response", func(t *testing.T, f *conforming) {
		data := f.await("RequestFulfilledEvent", "requestEventId", "run/12")
		require.Equal(t, []any{f.first}, data["pfs"])
		require.Contains(t, f.authorized, "Bearer of-the-recipient application/cloudevents+json")
		require.Contains(t, f.tokens, "tilth of+the+mill client_credentials")
	}},
	{"14.A", "Send Asynchronous Request to be Rejected", func(t *testing.T, f *conforming) {
		got := f.post("run/14.A", "RequestCreatedEvent", `{"productId": ["urn:pact:null"], "comment": "Please send PCF data for this year."}`)
		require.Equal(t, 200, got.status, got.text)
	}},
	{"14.B", "Handle Rejected PCF Request", func(t *testing.T, f *conforming) {
		data := f.await("RequestRejectedEvent", "requestEventId", "run/14.A")
		require.Equal(t, "NotFound", data["error"].(map[string]any)["code"])
		require.NotEmpty(t, data["error"].(map[string]any)["message"])
	}},
	{"15", "Receive Notification of PCF Update (Published Event)", func(t *testing.T, f *conforming) {
		require.Equal(t, 200, f.post("run/15", "PublishedEvent", `{"pfIds": ["`+someID+`"]}`).status)
	}},
	{"16", "Attempt Action Events with Invalid Token", func(t *testing.T, f *conforming) {
		body := f.event("run/16", "PublishedEvent", `{"pfIds": ["`+someID+`"]}`)
		refusedToken(t, f.send("POST", "/3/events", "application/cloudevents+json", body, "Bearer very-invalid-access-token"))
	}},
	{"17", "Attempt Action Events through HTTP (non-HTTPS)", func(t *testing.T, f *conforming) {
		unread(t, f, func(r *recipient) reply { return r.post("run/17", "PublishedEvent", `{"pfIds": ["`+someID+`"]}`) })
	}},
	{"18", "OpenId Connect-based Authentication Flow", func(t *testing.T, f *conforming) {
		found := f.send("GET", "/.well-known/openid-configuration", "", "", "")
		require.Equal(t, 200, found.status)
		got := f.send("POST", found.body["token_endpoint"].(string), "application/x-www-form-urlencoded", "grant_type=client_credentials", basicOf(f.id, f.secret))
		require.Equal(t, 200, got.status)
		require.NotEmpty(t, got.body["access_token"])
	}},
	{"19", "OpenId connect-based authentication flow with incorrect credentials", badCredentials},
	{"20", `Get Filtered List of Footprints by "productId" parameter`, func(t *testing.T, f *conforming) {
		f.filtered(t, "productId="+f.text("productIds"), contains("productIds", f.text("productIds")))
	}},
	{"21", `Get Filtered List of Footprints by "companyId" parameter`, func(t *testing.T, f *conforming) {
		f.filtered(t, "companyId="+f.text("companyIds"), contains("companyIds", f.text("companyIds")))
	}},
	{"22", `Get Filtered List of Footprints by "geography" parameter`, func(t *testing.T, f *conforming) {
		f.filtered(t, "geography=FR", contains("pcf", "geographyCountry:FR"))
		f.filtered(t, "geography=", func(map[string]any) bool { return true })
	}},
	{"23", `Get Filtered List of Footprints by "classification" parameter`, func(t *testing.T, f *conforming) {
		f.filtered(t, "classification="+f.text("productClassifications"), contains("productClassifications", f.text("productClassifications")))
		f.filtered(t, "classification=", func(map[string]any) bool { return true })
	}},
	{"24", `Get Filtered List of Footprints by "validOn" parameter`, func(t *testing.T, f *conforming) {
		on := periodEnd(f.first)
		f.filtered(t, "validOn="+on.Format(time.RFC3339), func(one map[string]any) bool {
			return !periodEnd(one).After(on) && !periodEnd(one).AddDate(3, 0, 0).Before(on)
		})
	}},
	{"25", `Get Filtered List of Footprints by "validAfter" parameter`, func(t *testing.T, f *conforming) {
		after := periodEnd(f.first).AddDate(0, 0, -1)
		f.filtered(t, "validAfter="+after.Format("2006-01-02T15:04:05.000Z"), func(one map[string]any) bool { return periodEnd(one).After(after) })
	}},
	{"26", `Get Filtered List of Footprints by "validBefore" parameter`, func(t *testing.T, f *conforming) {
		before := periodEnd(f.first).AddDate(3, 0, 1)
		f.filtered(t, "validBefore="+before.Format("2006-01-02T15:04:05.000Z"), func(one map[string]any) bool { return periodEnd(one).AddDate(3, 0, 0).Before(before) })
	}},
	{"27", `Get Filtered List of Footprints by "status" parameter`, func(t *testing.T, f *conforming) {
		f.filtered(t, "status=Active", contains("status", "Active"))
	}},
	{"28", `Get Filtered List of Footprints by both "status" and "productId" parameters`, func(t *testing.T, f *conforming) {
		f.filtered(t, "status=Active&productId="+f.text("productIds"), contains("productIds", f.text("productIds")))
	}},
	{"29", "Get Filtered List of Footprints by multiple filter parameters using OR logic", func(t *testing.T, f *conforming) {
		f.filtered(t, "companyId="+f.text("companyIds")+"&companyId=x8dk2&companyId=p0rq7", contains("companyIds", f.text("companyIds")))
	}},
	{"30", `"productId" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "productId=urn:bogus:product:a") }},
	{"31", `"companyId" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "companyId=urn:bogus:company:a") }},
	{"32", `"geography" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "geography=XX") }},
	{"33", `"classification" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "classification=urn:bogus:classification:a") }},
	{"34", `"validOn" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "validOn=1900-01-01T00:00:00Z") }},
	{"35", `"validAfter" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "validAfter=2099-12-31T23:59:59Z") }},
	{"36", `"validBefore" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "validBefore=1900-01-01T00:00:00Z") }},
	{"37", `"status" parameter (negative test case)`, func(t *testing.T, f *conforming) { f.empty(t, "status=BogusStatusX") }},
	{"38", "multiple filter parameters using AND logic (negative test case)", func(t *testing.T, f *conforming) {
		f.empty(t, "companyId=urn:bogus:company:a&productId="+f.text("productIds"))
	}},
	{"39", "multiple filter parameters using OR logic (negative test case)", func(t *testing.T, f *conforming) {
		f.empty(t, "companyId=urn:bogus:company:a&companyId=urn:bogus:company:b&companyId=urn:bogus:company:c")
	}},
	{"40", "Failed to Receive Notification of PCF Update (Published Event) - Malformed Request", func(t *testing.T, f *conforming) {
		got := f.post("run/40", "PublishedEvent", `{"pfIds": ["urn:gtin:4712345060507"]}`)
		require.Equal(t, 400, got.status)
		require.Equal(t, "BadRequest", got.body["code"])
	}},
}

func badCredentials(t *testing.T, f *conforming) {
	for _, got := range []reply{
		f.askToken("nobody", "nothing", "grant_type=client_credentials"), f.askToken(f.id, "nothing", "grant_type=client_credentials"),
		f.send("POST", "/auth/token", "application/x-www-form-urlencoded", "grant_type=client_credentials", ""),
	} {
		require.Equal(t, 401, got.status)
		require.Equal(t, "invalid_client", got.body["error"])
		require.Contains(t, got.header.Get("WWW-Authenticate"), "Basic")
	}
	got := f.askToken(f.id, f.secret, "grant_type=password")
	require.Equal(t, 400, got.status)
	require.Equal(t, "unsupported_grant_type", got.body["error"])
	require.Equal(t, "invalid_request", f.askToken(f.id, f.secret, "").body["error"])
}

func refusedToken(t *testing.T, got reply) {
	t.Helper()
	require.Equal(t, 401, got.status)
	require.Equal(t, "BadRequest", got.body["code"])
	require.NotEmpty(t, got.body["message"])
}

func TestPACTConformance(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: openPACT})
		c, others := s.Company("owner", 0), s.Company("owner", 0)
		const all = 3
		for i := range all {
			c.Expect(200, "POST", publishPath(submittedWheat(t, c), 1), publishTerms(fmt.Sprintf("urn:gtin:471234506050%d", i)))
		}
		others.Expect(200, "POST", publishPath(submittedWheat(t, others), 1), publishTerms("urn:gtin:4712345060500"))
		r, _ := newRecipient(t, s, c, true)
		r.signIn()
		f := &conforming{recipient: r, first: r.get("/3/footprints").data(t)[0], all: all}
		for _, one := range conformanceCases {
			if !t.Run("case "+one.number+" "+one.name, func(t *testing.T) { one.check(t, f) }) {
				return
			}
		}
	})
}

// The recipient's criteria are escaped in the address of the next page, and are preserved.
func TestPACTPagesKeepTheirCriteria(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Config: openPACT})
	c := s.Company("owner", 0)
	for range 3 {
		c.Expect(200, "POST", publishPath(submittedWheat(t, c), 1), publishTerms("urn:example:a&b+c"))
	}
	c.Expect(200, "POST", publishPath(submittedWheat(t, c), 1), publishTerms("urn:example:other"))
	r, _ := newRecipient(t, s, c, false)
	r.signIn()
	require.Len(t, r.ids("/3/footprints?limit=1&productid="+url.QueryEscape("urn:example:A&b+c")), 3)
	require.Empty(t, r.ids("/3/footprints?limit=0"))
	for query, names := range map[string]string{
		"limit=-1": "limit", "limit=x": "limit", "limit=1&limit=2": "limit", "validOn=yesterday": "validOn", "$filter=x": "criterion", "after=1": "after",
		"after=" + someID: "after", "productId=%00": "productId", "%zz": "query",
	} {
		got := r.get("/3/footprints?" + query)
		require.Equal(t, 400, got.status, query)
		require.Equal(t, "BadRequest", got.body["code"], query)
		require.Contains(t, got.body["message"], names, query)
	}
	got := r.send("DELETE", "/3/footprints", "", "", "Bearer "+r.token)
	require.Equal(t, 405, got.status)
	require.Equal(t, "BadRequest", got.body["code"])
	got = r.get("/2/footprints")
	require.Equal(t, 404, got.status)
	require.Equal(t, "NotFound", got.body["code"])
}
