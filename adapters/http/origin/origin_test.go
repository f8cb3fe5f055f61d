package origin_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/origin"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	public, err := url.Parse("https://tilth.example.org/")
	require.NoError(t, err)
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	forwarded := http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"farm.example.org"}, "X-Forwarded-For": {"1.2.3.4, 203.0.113.9, 10.0.0.7"}}
	tests := []struct {
		name         string
		rules        origin.Rules
		peer         string
		header       http.Header
		base, client string
	}{
		{"direct", origin.Rules{}, "203.0.113.1:5000", nil, "http://tilth.test", "203.0.113.1"},
		{"forwarded by a stranger", origin.Rules{Trusted: proxies}, "203.0.113.1:5000", forwarded, "http://tilth.test", "203.0.113.1"},
		{"forwarded by a trusted proxy", origin.Rules{Trusted: proxies}, "10.1.1.1:5000", forwarded, "https://farm.example.org", "203.0.113.9"},
		{"the public address wins", origin.Rules{Trusted: proxies, Public: public}, "10.1.1.1:5000", forwarded, "https://tilth.example.org", "203.0.113.9"},
		{"a forged host", origin.Rules{Trusted: proxies}, "10.1.1.1:5000", http.Header{"X-Forwarded-Host": {"evil/\"x"}}, "http://localhost", "10.1.1.1"},
		{"a host that is allowed", origin.Rules{Hosts: []string{"farm.test", "tilth.test"}}, "203.0.113.1:5000", nil, "http://tilth.test", "203.0.113.1"},
		{"a host that is not", origin.Rules{Hosts: []string{"farm.test"}}, "203.0.113.1:5000", nil, "http://farm.test", "203.0.113.1"},
		{"a forwarded host that is not", origin.Rules{Trusted: proxies, Hosts: []string{"farm.test"}}, "10.1.1.1:5000", forwarded, "https://farm.test", "203.0.113.9"},
		{"a forged scheme", origin.Rules{Trusted: proxies}, "10.1.1.1:5000", http.Header{"X-Forwarded-Proto": {"javascript"}}, "http://tilth.test", "10.1.1.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := httptest.NewRequest("GET", "http://tilth.test/", nil)
			req.RemoteAddr = tt.peer
			for k, v := range tt.header {
				req.Header[k] = v
			}
			require.Equal(t, tt.base, tt.rules.Base(req))
			require.Equal(t, tt.client, tt.rules.Client(req).String())
		})
	}
}
