package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/ports"
	"tilth/tests/rig"
)

func figure(t *testing.T, pcf map[string]any, member string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(pcf[member].(string), 64)
	require.NoError(t, err, member)
	return v
}

func TestPublishFootprints(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: openPACT})
		c, others := s.Company("owner", 0), s.Company("owner", 0)
		id := submittedWheat(t, c)
		report := c.Expect(200, "GET", reportPath(id)+"?basis=submitted", nil).Data(t)

		// What no version contains is requested by name.
		bare := c.Expect(400, "GET", reportPath(id)+"?format=pact", nil).Map(t)["details"].(map[string]any)
		require.Len(t, bare, 3)
		for _, member := range []string{"product_ids", "cross_sectoral_standards", "exempted_emissions_percent"} {
			require.Contains(t, bare, member)
		}
		const stated = "&product_ids=urn:gtin:4712345060507&cross_sectoral_standards=ISO14067&exempted_emissions_percent=0"
		c.Expect(400, "GET", reportPath(id)+"?format=pact&basis=live"+stated, nil)
		c.Expect(404, "GET", reportPath(id)+"?format=pact&version=2"+stated, nil)
		others.Expect(404, "GET", reportPath(id)+"?format=pact"+stated, nil)
		preview := c.Expect(200, "GET", reportPath(id)+"?format=pact"+stated, nil).Map(t)

		// The path is checked before the body, and the permission before both.
		c.Expect(404, "POST", publishPath(id, 2), map[string]any{})
		others.Expect(404, "POST", publishPath(id, 1), map[string]any{})
		s.User(c.CompanyID, "editor").Expect(403, "POST", publishPath(id, 1), publishTerms("urn:x-a:1"))
		c.Expect(404, "GET", publishPath(id, 1), nil)
		c.Expect(404, "DELETE", publishPath(id, 1), nil)
		for member, value := range map[string]any{
			"product_ids": []string{"4712345060507"}, "company_ids": []string{"urn:"}, "declared_unit_of_measurement": "liter", "geography_country": "XX1",
			"reference_period_end": "2024-01-01T00:00:00Z", "validity_period_end": "2035-01-01T00:00:00Z", "exempted_emissions_percent": 5,
			"primary_data_share": 101, "dqi": map[string]any{"technological_dqr": 6, "geographical_dqr": 1, "temporal_dqr": 1}, "cross_sectoral_standards": []string{"mine"},
		} {
			terms := publishTerms("urn:gtin:4712345060507")
			terms[member] = value
			c.Expect(400, "POST", publishPath(id, 1), terms)
		}

		first := c.Expect(200, "POST", publishPath(id, 1), publishTerms("urn:gtin:4712345060507")).Data(t)
		document := first["footprint"].(map[string]any)
		require.Equal(t, preview["id"], document["id"], "as it was shown before")
		require.Equal(t, preview["pcf"], document["pcf"])
		pcf := document["pcf"].(map[string]any)
		perT := report["totals"].(map[string]any)["emissions_per_t"].(float64)
		require.InDelta(t, perT, figure(t, pcf, "pcfExcludingBiogenicUptake"), 1e-6, "kg/kg is t/t")
		sum := 0.0
		for _, member := range []string{"fossilGhgEmissions", "landUseChangeGhgEmissions", "landManagementBiogenicCO2Emissions", "landManagementBiogenicCO2Removals", "biogenicNonCO2Emissions"} {
			sum += figure(t, pcf, member)
		}
		require.Less(t, math.Abs(sum-figure(t, pcf, "pcfExcludingBiogenicUptake")), 1e-9, "the members add up")
		require.Equal(t, []any{"AR6"}, pcf["ipccCharacterizationFactors"])
		require.Equal(t, "FR", pcf["geographyCountry"])
		require.NotContains(t, pcf, "primaryDataShare", "nothing is claimed that nobody stated")
		require.NotContains(t, pcf, "biogenicCO2Uptake")

		// A repeat publishes nothing new; other terms make another footprint, which names the previous one.
		again := c.Expect(200, "POST", publishPath(id, 1), publishTerms("urn:gtin:4712345060507")).Data(t)
		require.Equal(t, true, again["unchanged"])
		require.Equal(t, document["id"], again["footprint"].(map[string]any)["id"])
		more := publishTerms("urn:gtin:4712345060507")
		more["biogenic_carbon_content"], more["comment"] = 0.4, "By analysis."
		second := c.Expect(200, "POST", publishPath(id, 1), more).Data(t)["footprint"].(map[string]any)
		require.NotEqual(t, document["id"], second["id"])
		require.Equal(t, []any{document["id"]}, second["precedingPfIds"])
		require.InDelta(t, -0.4*44/12, figure(t, second["pcf"].(map[string]any), "biogenicCO2Uptake"), 1e-8)

		r, _ := newRecipient(t, s, c, true)
		r.signIn()
		require.Equal(t, "Deprecated", r.get("/3/footprints/" + document["id"].(string)).body["data"].(map[string]any)["status"])
		require.Equal(t, []string{second["id"].(string)}, r.ids("/3/footprints?status=active"))
		stranger, _ := newRecipient(t, s, others, false)
		stranger.signIn()
		require.Empty(t, stranger.ids("/3/footprints"))
		got := stranger.get("/3/footprints/" + second["id"].(string))
		require.Equal(t, 404, got.status, "another company's")
		require.Equal(t, "NotFound", got.body["code"])

		// Revoked for good; clients that take events are notified.
		c.Expect(204, "DELETE", publishPath(id, 1), nil)
		r.await("PublishedEvent", "pfIds", second["id"].(string))
		require.Equal(t, "footprint_deprecated", c.Expect(409, "DELETE", publishPath(id, 1), nil).Map(t)["code"])
		require.NotNil(t, c.Expect(200, "GET", publishPath(id, 1), nil).Data(t)["deprecated_at"])
		require.Equal(t, "Deprecated", c.Expect(200, "GET", reportPath(id)+"?format=pact", nil).Map(t)["status"])
		require.Empty(t, r.ids("/3/footprints?status=Active"))
		require.Len(t, r.ids("/3/footprints"), 2)
		third := c.Expect(200, "POST", publishPath(id, 1), more).Data(t)["footprint"].(map[string]any)
		require.Equal(t, "Active", third["status"])
		require.Equal(t, []any{second["id"]}, third["precedingPfIds"])

		var listed []map[string]any
		c.Expect(200, "GET", fmt.Sprintf("footprint/?assessment=%d&status=Deprecated", id), nil).Into(t, &listed)
		require.Len(t, listed, 2)
		farm := listedAt(t, c, "farm/")[0].(map[string]any)["id"]
		require.Len(t, listedAt(t, c, fmt.Sprintf("footprint/?farm=%v", farm)), 3)
		require.Empty(t, listedAt(t, c, "footprint/?farm=999999"))
		others.Expect(200, "GET", "footprint/", nil).Into(t, &listed)
		require.Empty(t, listed)

		// Every step is recorded in the trail and in the feed.
		var trail []map[string]any
		c.Expect(200, "GET", "audit/?resource=footprint", nil).Into(t, &trail)
		counts := map[any]int{}
		for _, entry := range trail {
			counts[entry["action"]]++
		}
		require.Equal(t, map[any]int{"publish": 3, "revoke": 1}, counts)
	})
}

func TestPACTClients(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: openPACT})
		c, others := s.Company("owner", 0), s.Company("owner", 0)
		r, id := newRecipient(t, s, c, true)
		at := fmt.Sprintf("pact-client/%d/", id)

		// A secret is shown once, and the recipient's never.
		for _, answer := range []rig.Answer{c.Expect(200, "GET", at, nil), c.Expect(200, "GET", "pact-client/", nil), c.Expect(200, "GET", "audit/", nil)} {
			require.NotContains(t, string(answer.Body), r.secret)
			require.NotContains(t, string(answer.Body), "of the mill")
		}
		require.Equal(t, true, c.Expect(200, "GET", at, nil).Data(t)["has_recipient_client_secret"])
		require.Equal(t, true, c.Expect(200, "PATCH", at, map[string]any{"name": "Old mill"}).Data(t)["has_recipient_client_secret"], "it stays")
		others.Expect(404, "GET", at, nil)
		others.Expect(404, "PATCH", at, map[string]any{"name": 1})
		others.Expect(404, "DELETE", at, nil)
		others.Expect(404, "POST", at+"rotate-secret/", nil)
		others.Expect(404, "GET", at+"messages/", nil)
		s.User(c.CompanyID, "editor").Expect(403, "POST", "pact-client/", map[string]any{"name": "x"})
		for _, body := range []map[string]any{
			{"name": " "}, {"name": "x", "token_url": "https://example.org"}, {"name": "x", "events_url": "https://u:p@example.org/"}, {"name": "x", "events_url": "ftp://example.org"},
			{"name": "x", "events_url": "https://example.org", "token_url": "https://example.org", "recipient_client_id": "a"},
		} {
			c.Expect(400, "POST", "pact-client/", body)
		}

		// Its token opens only the footprints; no other credential opens them.
		r.signIn()
		require.Equal(t, 200, r.get("/3/footprints").status)
		require.Equal(t, 401, r.send("GET", s.URL+"/api/v1.2/farm/", "", "", "Bearer "+r.token).status)
		require.Equal(t, 401, r.send("GET", s.URL+"/api/v1.2/auth/me/", "", "", "Bearer "+r.token).status)
		require.Equal(t, 401, r.send("GET", "/3/footprints", "", "", "Bearer "+c.Token).status)
		require.Equal(t, 401, r.send("GET", "/3/footprints", "", "", "").status)
		key, _ := newKey(t, c, nil)
		status, _ := with(t, s, "GET", "pact/3/footprints", "", "X-API-Key", key)
		require.Equal(t, 401, status)
		old, err := s.Tokens().(ports.ClientTokens).IssueFor(t.Context(), "tilth-pact", fmt.Sprintf("%d:1", id), time.Now().Add(-2*time.Hour), time.Hour)
		require.NoError(t, err)
		expired := r.send("GET", "/3/footprints", "", "", "Bearer "+old)
		require.Equal(t, 401, expired.status)
		require.Equal(t, "TokenExpired", expired.body["code"])

		// An event that arrives twice is answered once; the messages in both directions are listed.
		require.Equal(t, 200, r.post("e1", "RequestCreatedEvent", `{"productId": ["urn:x-a:1"]}`).status)
		require.Equal(t, 200, r.post("e1", "RequestCreatedEvent", `{"productId": ["urn:x-a:1"]}`).status)
		r.await("RequestRejectedEvent", "requestEventId", "e1")
		for data, code := range map[string]int{`{"colour": "red"}`: 400, `{"productId": 7}`: 400, `[]`: 400, `{"comment": "` + string(make([]byte, 0)) + `"}`: 200} {
			require.Equal(t, code, r.post("e2"+data, "RequestCreatedEvent", data).status, data)
		}
		require.Equal(t, 400, r.send("POST", "/3/events", "application/json", `{"type": "x"}`, "Bearer "+r.token).status)
		require.Equal(t, 415, r.send("POST", "/3/events", "text/plain", `{}`, "Bearer "+r.token).status)
		rig.Eventually(t, func() bool {
			var messages []map[string]any
			c.Expect(200, "GET", at+"messages/", nil).Into(t, &messages)
			seen := map[string]int{}
			for _, m := range messages {
				require.True(t, json.Valid([]byte(m["body"].(string))))
				seen[fmt.Sprint(m["direction"], " ", m["state"])]++
			}
			return seen["in received"] == 2 && seen["out delivered"] == 2
		}, 10*time.Minute, 10*time.Millisecond)

		// A new secret invalidates the old one and its tokens; a revoked client stays revoked.
		before := r.secret
		r.secret = c.Expect(200, "POST", at+"rotate-secret/", nil).Data(t)["client_secret"].(string)
		require.Equal(t, 401, r.get("/3/footprints").status)
		require.Equal(t, 401, r.askToken(r.id, before, "grant_type=client_credentials").status)
		require.Equal(t, 200, r.signIn().get("/3/footprints").status)
		c.Expect(204, "DELETE", at, nil)
		c.Expect(404, "GET", at, nil)
		require.Equal(t, 401, r.get("/3/footprints").status)
		require.Equal(t, 401, r.askToken(r.id, r.secret, "grant_type=client_credentials").status)
	})
}

// A delivery to a recipient whose system refuses it is tried again later; the company sees why, and nothing of the request is lost.
func TestPACTAnswersWaitForTheRecipient(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Config: openPACT})
	c := s.Company("owner", 0)
	r, id := newRecipient(t, s, c, true)
	at := fmt.Sprintf("pact-client/%d/", id)
	c.Expect(200, "PATCH", at, map[string]any{"token_url": r.own.URL + "/no-such-path"})
	r.signIn()
	require.Equal(t, 200, r.post("e1", "RequestCreatedEvent", `{}`).status)
	var out map[string]any
	rig.Eventually(t, func() bool {
		var messages []map[string]any
		c.Expect(200, "GET", at+"messages/", nil).Into(t, &messages)
		out = messages[0]
		return out["attempt"].(float64) > 0
	}, 10*time.Minute, 10*time.Millisecond)
	require.Equal(t, []any{"out", "pending", "No access token: The token address answered 404."}, []any{out["direction"], out["state"], out["error"]})
	require.NotNil(t, out["next_try_at"])
	require.Empty(t, r.came, "nothing is posted without a token")
	c.Expect(200, "PATCH", at, map[string]any{"token_url": "", "events_url": "", "recipient_client_id": ""})
	var messages []map[string]any
	c.Expect(200, "GET", at+"messages/", nil).Into(t, &messages)
	require.Equal(t, "failed", messages[0]["state"], "a client that takes no events waits for none")
	require.Equal(t, 400, r.post("e2", "RequestCreatedEvent", `{}`).status, "what cannot be answered is refused at once")
	require.Equal(t, 200, r.post("e3", "PublishedEvent", `{"pfIds": ["`+someID+`"]}`).status)
}

// An answer goes only to the recorded address, and under the rules of webhooks: into no private network.
func TestPACTAnswersStayOutOfPrivateNetworks(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	for _, address := range []string{"http://example.org/3/events", "https://127.0.0.1/3/events", "https://169.254.169.254/latest"} {
		got := c.Expect(400, "POST", "pact-client/", map[string]any{"name": "x", "events_url": address})
		require.Contains(t, got.Map(t)["details"], "events_url")
	}
}
