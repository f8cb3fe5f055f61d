package credential_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/credential"
	"tilth/adapters/http/session"
)

func TestCredentialOfARequest(t *testing.T) {
	request := func(target, header, value string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Header.Set(header, value)
		return r
	}
	for want, r := range map[string]*http.Request{
		"token":  request("/?api_key=key", "Authorization", "bearer  token"),
		"key":    request("/?api_key=other&link=link", "X-API-Key", "key"),
		"in":     request("/?api_key=in&link=link", "Accept", "*/*"),
		"link":   request("/?link=link", "Accept", "*/*"),
		"secret": request("/", "Cookie", session.Name+"=secret"),
		"abc":    request("/?api_key=key", "Authorization", "Basic abc"),
		"":       request("/", "Accept", "*/*"),
	} {
		require.Equal(t, want, credential.Of(r))
	}
	both := request("/?api_key=in&link=link", "Accept", "*/*")
	require.Empty(t, credential.Key(both, credential.Taken{Keys: credential.KeyInHeader}))
	require.Empty(t, credential.Key(request("/", "X-API-Key", "key"), credential.Taken{Keys: credential.KeyNowhere}))
	require.Empty(t, credential.Link(both, credential.Taken{}))
	require.Equal(t, "link", credential.Link(both, credential.Taken{Links: true}))
}

func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][3]any{
		"Basic YTpi": {"a", "b", true}, "basic YTpi": {"a", "b", true}, "Basic YTpiJTNBJTJC": {"a", "b:+", true}, // b:+ is form-encoded
		"Basic YTpiOmM=": {"a", "b:c", true}, "Bearer YTpi": {"", "", false}, "Basic ab": {"", "", false}, "Basic !": {"", "", false}, "Basic YTolWg==": {"", "", false}, "": {"", "", false},
	} {
		id, secret, ok := credential.Basic(header)
		require.Equal(t, want[2], ok, header)
		if ok {
			require.Equal(t, []any{want[0], want[1]}, []any{id, secret}, header)
		}
	}
}
