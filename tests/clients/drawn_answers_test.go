package clients_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tilth/tests/rig"
)

// readAll reads everything that exists after the examples were sent, and sends the requests that need no body, for the
// rig to record (make answers). What the demonstration does not have is recorded by the tests that make it.
func readAll(t *testing.T, s *rig.Server, c *rig.Client, all []drawn, orders map[string]string) {
	fields := c.Expect(http.StatusOK, http.MethodGet, "field/?page_size=1&ordering=-id", nil).Data(t)["results"].([]any)
	at := fields[0].(map[string]any)["centroid"].(map[string]any)["coordinates"].([]any)
	place := fmt.Sprintf("?lon=%v&lat=%v", at[0], at[1])
	for _, op := range all {
		begun := op.method == http.MethodPost && op.RequestBody == nil
		if op.method != http.MethodGet && !begun || strings.Contains(op.path, "/auth/") {
			continue
		}
		query := asked[op.OperationID]
		if strings.HasSuffix(op.path, "/value/") {
			query = place
		}
		for _, id := range []string{"1", "2", "3"} {
			for product, order := range orders {
				if strings.Contains(op.path, "/"+product+"/") {
					id = order
				}
			}
			in := strings.NewReplacer("{section}", "fertilizers", "{version}", "1", "{featureId}", id, "{id}", id)
			if c.Do(op.method, in.Replace(op.path)+query, nil).Status < http.StatusMultipleChoices {
				break
			}
		}
	}
	c.Do(http.MethodGet, "profiles/vegetation-index-profile/series/?format=geojson", nil)
	recipient(t, s, c)
}

// recipient reads footprints as their recipient.
func recipient(t *testing.T, s *rig.Server, c *rig.Client) {
	made := c.Do(http.MethodPost, "pact-client/", map[string]any{"name": "Mill"})
	if made.Status >= http.StatusMultipleChoices {
		t.Logf("no client of the PACT API: %s", made.Body)
		return
	}
	client := made.Data(t)
	secret := base64.StdEncoding.EncodeToString([]byte(client["client_id"].(string) + ":" + client["client_secret"].(string)))
	reader := s.Anonymous()
	token := reader.Upload("pact/auth/token/", "application/x-www-form-urlencoded", strings.NewReader("grant_type=client_credentials"), "Authorization", "Basic "+secret)
	reader.Token, _ = token.Map(t)["access_token"].(string)
	list, _ := reader.Do(http.MethodGet, "pact/3/footprints/", nil).Map(t)["data"].([]any)
	for _, one := range list {
		reader.Do(http.MethodGet, "pact/3/footprints/"+one.(map[string]any)["id"].(string)+"/", nil)
	}
}
