package rest

import "github.com/danielgtaylor/huma/v2"

// The headers of draft-ietf-httpapi-ratelimit-headers-10, which whoever limits requests sets.
const (
	RateLimit       = "RateLimit"
	RateLimitPolicy = "RateLimit-Policy"
)

// headers are the headers of answers that the document describes once.
func headers() map[string]*huma.Param {
	out := map[string]*huma.Param{}
	for name, what := range map[string]string{
		ignoredHeader: "Paths of names that were ignored, as the caller or the operator prefers, separated by commas.",
		RateLimitPolicy: "The limits that the request counts for, as in `\"user\";q=200;w=4, \"company\";q=800;w=4`: `q` requests at once, which come back within `w` seconds. " +
			"`address` holds until the credential is verified, `user` and `company` from then on, `sign-in` where a credential is asked for. It is a list of structured fields (RFC 9651), and absent where nothing is limited.",
		RateLimit: "What is left of these limits, as in `\"user\";r=199;t=1, \"company\";r=799;t=1`: `r` requests now, and one more after `t` seconds.",
	} {
		out[name] = &huma.Param{Schema: &huma.Schema{Type: huma.TypeString}, Description: what}
	}
	return out
}

// headersOf refers to them.
func headersOf(names ...string) map[string]*huma.Param {
	out := map[string]*huma.Param{}
	for _, name := range names {
		out[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
	return out
}
