package rest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/schema"
)

// The headers of draft-ietf-httpapi-ratelimit-headers-10, which whoever limits requests sets.
const (
	RateLimit       = "RateLimit"
	RateLimitPolicy = "RateLimit-Policy"
)

const (
	etagHeader       = "ETag"
	retryAfterHeader = "Retry-After"
)

// everyRequest says of the headers of every request what the description of each would repeat.
const everyRequest = "## Headers of every request\n\n" +
	"- `" + companyHeader + "`: for operators, the id of the company to act in; one that does not exist is answered with 404. Other users may name their own company only; any other is answered with 403.\n" +
	"- `" + preferHeader + ": handling=lenient`: names that are not known are ignored, and listed in the header `" + ignoredHeader + "` of the answer; without it they are refused (`unknown_name`).\n" +
	"- `If-None-Match`, of a GET: an ETag of an earlier answer; when nothing has changed, the answer is 304 without a body.\n" +
	"- `" + idempotencyKey + "`, where an operation names it: carries the request out once, whatever fails in between. Its effect and its answer are stored together, and a repeat within 24 hours receives that answer, with `" + replayed + ": true`. A 5xx says that nothing was stored, or that a repeat finds out. For another request the same key is 422.\n\n" +
	"## Headers of every answer\n\n" +
	"- `X-Request-ID`: the name of the request in the log of the service; one that the caller sends is kept.\n" +
	"- `" + RateLimitPolicy + "`: the limits that the request counts for, as in `\"user\";q=200;w=4, \"company\";q=800;w=4`: `q` requests at once, which come back within `w` seconds. " +
	"`address` holds until the credential is verified, `user` and `company` from then on, `sign-in` where a credential is asked for. It is a list of structured fields (RFC 9651), and absent where nothing is limited.\n" +
	"- `" + RateLimit + "`: what is left of these limits, as in `\"user\";r=199;t=1, \"company\";r=799;t=1`: `r` requests now, and one more after `t` seconds."

// headers are the headers of answers, which the document describes once.
func headers() map[string]*huma.Param {
	out := map[string]*huma.Param{}
	for name, what := range map[string]string{
		etagHeader:       "The version of the record, for If-Match and If-None-Match.",
		retryAfterHeader: "Seconds to wait before the request is tried again; of 409, 429 and 503.",
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

// failure is the answer of what fails, in the envelope.
func failure() *huma.Response {
	text := "What fails:\n"
	for _, status := range slices.Sorted(maps.Keys(statusTexts)) {
		text += fmt.Sprintf("\n- `%d`: %s", status, statusTexts[status])
	}
	return &huma.Response{
		Description: text, Headers: headersOf(retryAfterHeader),
		Content: map[string]*huma.MediaType{mediaJSON: {Schema: schema.Given(errorSchema)}},
	}
}
