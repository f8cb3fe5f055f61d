package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// begun are the operations whose examples create the records that other examples refer to, in the order in which they
// are sent, and those that an order forbids once its profile exists. Of the rest, those of ended come last.
var (
	begun = []string{
		"token_create", "farm_create", "season_create", "season_update", "season_partial_update", "season_partial_update_many",
		"field_create", "cultivation_create", "fertilization_create", "assessment_create",
		"assessment_create_item", "assessment_update_item", "assessment_partial_update_item", "aoi_create", "role_create", "webhook_create", "pact_client_create", "vi_profile_order_create", "vi_profile_order_batch",
	}
	ended = []string{"field_preview_merge", "field_preview_split", "field_merge", "field_split", "token_revoke", "password_change"}
)

// awaited are the statuses of examples that name what the demonstration does not have: the token from an e-mail, a
// second person, an order, a map, a plan or a sample, an item, another company, a client of the PACT API, an operator.
var awaited = map[string]int{
	"setup_create": 409, "invitation_accept": 400, "password_reset_confirm": 400, "token_refresh": 401, "oidc_start": 404, "oidc_session_create": 403, "share_grant_create": 400, "pact_token": 401, "pact_event": 401,
	"assessment_sign_submission": 409, "assessment_partial_update_items": 404, "stratification_map_generate": 404, "stratification_map_save": 404,
	"sample_plan_generate": 404, "sample_plan_customise": 404, "sample_plan_save": 404, "sample_plan": 404, "sample_partial_update": 404, "sample_partial_update_many": 404, "sample_create": 400, "sample_plan_save_many": 400, "sample_import": 400,
	"operator_company_create": 403, "operator_company_partial_update": 403, "operator_subscription_update": 403, "operator_wallet_credit": 403,
	"operator_wallet_refund": 403, "operator_user_create": 403, "operator_user_partial_update": 403, "operator_price_update": 403,
}

// asked are query parameters without which a request is refused.
var asked = map[string]string{"field_import": "?farm_id=1", "assessment_attach_evidence": "?name=invoice.csv"}

// exampleFields are the uuids of fields in examples. The demonstration's own uuids differ in every installation.
var exampleFields = []string{"574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "c492aefe-d1b6-4057-8edf-152bc019cee5"}

// TestExamplesWork checks that the demonstration carries out the bodies that the document shows.
func TestExamplesWork(t *testing.T) {
	s := rig.Start(t, rig.Options{Demo: true})
	all, c := operations(t), s.Anonymous()
	place := func(op drawn) int {
		if at := slices.Index(begun, op.OperationID); at >= 0 {
			return at
		}
		return len(begun) + slices.Index(ended, op.OperationID) + 1
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return place(a) - place(b) })
	at := map[string]string{"{section}": "fertilizers", "{version}": "1", "{map_uuid}": "647908de-ddae-51ee-b74c-ade322819114", "{item_id}": "0"}
	var fields []any
	orders := map[string]string{} // of maps, by product
	for _, op := range all {
		media, example := shown(op)
		if example == "" {
			continue
		}
		for i, field := range fields {
			example = strings.ReplaceAll(example, exampleFields[i], field.(map[string]any)["uuid"].(string))
		}
		at["{id}"] = fmt.Sprint(map[string]int{"user": 3, "role": 4}[word(op.path)])
		if at["{id}"] == "0" {
			at["{id}"] = "1"
		}
		if id, ok := orders[strings.TrimSuffix(op.OperationID, "_link")]; ok {
			at["{id}"] = id
		}
		path := op.path
		for name, value := range at {
			path = strings.ReplaceAll(path, name, value)
		}
		if strings.HasSuffix(op.OperationID, "update_section") {
			path = strings.ReplaceAll(path, "fertilizers", "crop")
		}
		a := sent(c, op.method, path+asked[op.OperationID], media, example)
		wanted := awaited[op.OperationID]
		if wanted == 0 && a.Status >= http.StatusMultipleChoices || wanted != 0 && a.Status != wanted {
			t.Errorf("the example of %s is answered %d %s", op.OperationID, a.Status, a.Body)
		}
		if product, ok := strings.CutSuffix(op.OperationID, "_map_order_create"); ok {
			orders[product+"_map"] = fmt.Sprint(a.Data(t)["order_id"])
		}
		if strings.HasSuffix(op.OperationID, "_map_order_batch") { // fields with open orders cannot be merged
			rig.Eventually(t, func() bool {
				var open []any
				c.Expect(http.StatusOK, http.MethodGet, strings.TrimPrefix(strings.TrimSuffix(path, "batch/"), "/api/v1.2/")+"?status=processing", nil).Into(t, &open)
				return len(open) == 0
			}, 10*time.Minute, 20*time.Millisecond)
		}
		switch op.OperationID {
		case "token_create":
			c.Token = a.Data(t)["access"].(string)
			fields = c.Expect(http.StatusOK, http.MethodGet, "field/?page_size=2", nil).Data(t)["results"].([]any)
			require.Len(t, fields, len(exampleFields))
		case "vi_profile_order_batch": // which the examples of watching refer to
			c.Until(1, "active")
			c.Until(2, "active")
		case "assessment_create_item":
			at["{item_id}"] = fmt.Sprint(a.Data(t)["id"])
		}
	}
	if os.Getenv("TILTH_ANSWERS") != "" {
		ids := map[string]string{}
		for product, id := range orders {
			ids[strings.ReplaceAll(product, "_", "-")] = id
		}
		readAll(t, s, c, all, ids)
	}
}

// shown returns the example of an operation's body with its content type, or nothing if it has none.
func shown(op drawn) (media, text string) {
	if op.RequestBody == nil {
		return "", ""
	}
	for media, body := range op.RequestBody.Value.Content {
		if text := textOf(body); text != "" {
			return media, text
		}
	}
	return "", ""
}

func textOf(body *openapi3.MediaType) string {
	if text, ok := body.Example.(string); ok || body.Example == nil {
		return text
	}
	text, _ := json.Marshal(body.Example) // it was read from JSON
	return string(text)
}

func sent(c *rig.Client, method, path, media, text string) rig.Answer {
	if strings.HasSuffix(media, "json") {
		return c.Do(method, path, text)
	}
	return c.Upload(strings.TrimPrefix(path, "/api/v1.2/"), media, strings.NewReader(text))
}
