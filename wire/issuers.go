package wire

import (
	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/app/account"
)

// issuersOf says whose access tokens the configuration takes.
func issuersOf(cfg cli.Config) account.Issuers {
	out := account.Issuers{BuiltInOff: !cfg.BuiltinIssuer}
	if cfg.OIDCIssuer != "" {
		out.External = identity.NewExternal(identity.ExternalConfig{
			Issuer: cfg.OIDCIssuer, Audience: cfg.OIDCAudience, EmailClaim: cfg.OIDCEmailClaim, Clock: identity.Clock{},
		})
	}
	return out
}
