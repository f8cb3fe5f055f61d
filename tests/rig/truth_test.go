package rig

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The check of answers against the document can fail.
func TestAnswersThatTheDocumentDoesNotTell(t *testing.T) {
	known, err := documented()
	require.NoError(t, err)
	require.Nil(t, known.find("PUT", "/api/v1.2/wallet/"))
	require.Nil(t, known.find("GET", "/api/v1.2/purse"))
	require.NotNil(t, known.find("GET", "/api/v1.2/farm/7/"))
	wallet := known.find("GET", "/api/v1.2/wallet/")
	require.NotNil(t, wallet)
	json := http.Header{"Content-Type": {"application/json"}}
	good := `{"status":"success","message":"OK","data":{"balance":1,"held":0,"available":1,"unit":"credit"}}`
	require.NoError(t, wallet.says(Answer{Status: 200, Header: json, Body: []byte(good)}))
	for name, a := range map[string]Answer{
		"status":       {Status: 418, Header: json, Body: []byte(good)},
		"content type": {Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(good)},
		"no body":      {Status: 200, Header: json},
		"not JSON":     {Status: 200, Header: json, Body: []byte(`{`)},
		"wrong type":   {Status: 200, Header: json, Body: []byte(`{"status":"success","message":"OK","data":{"balance":"1","held":0,"available":1,"unit":"credit"}}`)},
		"missing":      {Status: 200, Header: json, Body: []byte(`{"status":"success","message":"OK","data":{"balance":1}}`)},
		"envelope":     {Status: 200, Header: json, Body: []byte(`{"balance":1,"held":0,"available":1,"unit":"credit"}`)},
	} {
		require.Error(t, wallet.says(a), name)
	}
}
