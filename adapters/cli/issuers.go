package cli

import (
	"net/netip"
	"net/url"
)

// checkIssuers checks the settings of the issuers of access tokens.
func (c *Config) checkIssuers(bad func(name, format string, args ...any)) {
	if c.OIDCIssuer == "" {
		if !c.BuiltinIssuer {
			bad("TILTH_BUILTIN_ISSUER", "without it and without TILTH_OIDC_ISSUER nobody could sign in")
		}
		if c.OIDCAudience != "" {
			bad("TILTH_OIDC_ISSUER", "it must be set if TILTH_OIDC_AUDIENCE is")
		}
		return
	}
	u, err := url.Parse(c.OIDCIssuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		bad("TILTH_OIDC_ISSUER", "%q is not the address of an issuer, such as https://id.example.org/realm", hidden(c.OIDCIssuer))
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		bad("TILTH_OIDC_ISSUER", "its keys must be read over https: who changes them on the way can make tokens")
	}
	if c.OIDCAudience == "" {
		bad("TILTH_OIDC_AUDIENCE", "it must be set: a token issued for another service must not be accepted")
	}
	if c.OIDCEmailClaim == "" {
		bad("TILTH_OIDC_EMAIL_CLAIM", "it must name a claim")
	}
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
