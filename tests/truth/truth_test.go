package truth_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/truth"
)

// The check of answers against the document can fail.
func TestAnswersThatTheDocumentDoesNotTell(t *testing.T) {
	raw, err := os.ReadFile("../../docs/openapi.json") // which make generate-check compares with the program's
	require.NoError(t, err)
	known, err := truth.Read(raw)
	require.NoError(t, err)
	json := http.Header{"Content-Type": {"application/json"}}
	wrong := truth.Answer{Status: 418, Header: json}
	require.NoError(t, known.Check("PUT", "/api/v1.2/wallet/", wrong), "no operation")
	require.NoError(t, known.Check("GET", "/api/v1.2/purse", wrong), "no operation")
	require.Error(t, known.Check("GET", "/api/v1.2/farm/7/", wrong))
	good := `{"status":"success","message":"OK","data":{"balance":1,"held":0,"available":1,"unit":"credit"}}`
	wallet := func(a truth.Answer) error { return known.Check("GET", "/api/v1.2/wallet/", a) }
	require.NoError(t, wallet(truth.Answer{Status: 200, Header: json, Body: []byte(good)}))
	for name, a := range map[string]truth.Answer{
		"status":       {Status: 418, Header: json, Body: []byte(good)},
		"content type": {Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(good)},
		"no body":      {Status: 200, Header: json},
		"not JSON":     {Status: 200, Header: json, Body: []byte(`{`)},
		"wrong type":   {Status: 200, Header: json, Body: []byte(`{"status":"success","message":"OK","data":{"balance":"1","held":0,"available":1,"unit":"credit"}}`)},
		"missing":      {Status: 200, Header: json, Body: []byte(`{"status":"success","message":"OK","data":{"balance":1}}`)},
		"envelope":     {Status: 200, Header: json, Body: []byte(`{"balance":1,"held":0,"available":1,"unit":"credit"}`)},
	} {
		require.Error(t, wallet(a), name)
	}
}
