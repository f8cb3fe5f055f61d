package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/collector"
	"tilth/tests/rig"
	"tilth/tests/secrets"
)

// planted makes secrets that look like those of the program, and declares them: TestMain fails if
// one of them is in a log, in metrics, in spans, in the stacks of the process or in an error.
type planted struct{ n int }

func (p *planted) secret() string {
	p.n++
	sum := sha256.Sum256(fmt.Append(nil, p.n))
	secret := "tkA1" + base64.RawURLEncoding.EncodeToString(sum[:])
	secrets.Declare(secret)
	return secret
}

// body returns a value of a schema whose texts are secrets.
func (p *planted) body(schema *openapi3.Schema, depth int) any {
	if len(schema.OneOf) > 0 {
		return p.body(schema.OneOf[0].Value, depth)
	}
	if len(schema.AnyOf) > 0 {
		return p.body(schema.AnyOf[0].Value, depth)
	}
	switch {
	case depth > 4:
		return nil
	case schema.Type.Includes("object"):
		out := map[string]any{p.secret(): 1}
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			out[name] = p.body(schema.Properties[name].Value, depth+1)
		}
		return out
	case schema.Type.Includes("array"):
		return []any{p.body(schema.Items.Value, depth+1)}
	case schema.Type.Includes("integer"), schema.Type.Includes("number"):
		return 1
	case schema.Type.Includes("boolean"):
		return true
	}
	return p.secret()
}

// content returns a body of a media type that is full of secrets.
func (p *planted) content(t *testing.T, media string, schema *openapi3.Schema) (contentType string, body []byte) {
	t.Helper()
	switch media {
	case "application/json":
		raw, err := json.Marshal(p.body(schema, 0))
		require.NoError(t, err)
		return media, raw
	case "multipart/form-data":
		var out bytes.Buffer
		form := multipart.NewWriter(&out)
		for _, name := range append(slices.Sorted(maps.Keys(schema.Properties)), p.secret()) {
			part, err := form.CreateFormFile(name, p.secret()+".csv")
			require.NoError(t, err)
			_, err = fmt.Fprintf(part, "name,%s\n%s,1\n", p.secret(), p.secret())
			require.NoError(t, err)
		}
		require.NoError(t, form.WriteField(p.secret(), p.secret()))
		require.NoError(t, form.Close())
		return form.FormDataContentType(), out.Bytes()
	}
	return media, fmt.Appendf(nil, "name,%s\n%s,1\n", p.secret(), p.secret())
}

// Every input of every route, filled with secrets: parameters of the path and of the query,
// including undeclared ones, headers, bodies, forms, names of files and their content.
func TestSecretsInEveryInput(t *testing.T) {
	t.Parallel()
	of := collector.Start(t)
	s := rig.Start(t, rig.Options{Config: following(of)})
	defer func() {
		s.Stop()
		secrets.Seen(of.Raw())
		require.NotEmpty(t, of.Spans())
	}()
	owner := s.Company(access.RoleOwner, 1000_00)
	furnish(t, s, owner)
	p := &planted{}
	traced := make(chan struct{})
	go func() {
		defer close(traced)
		s.Observe("/debug/pprof/trace?seconds=1")
	}()
	defer func() { <-traced }()
	paths := rig.Document(t).Paths.Map()
	// A later request returns what an earlier one stores; deletions, which remove what others need, come last.
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodDelete} {
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			op, there := paths[path].Operations()[method]
			if !there {
				continue
			}
			query := url.Values{p.secret(): {p.secret()}}
			for _, param := range op.Parameters {
				if param.Value.In == openapi3.ParameterInQuery {
					query.Set(param.Value.Name, p.secret())
				}
			}
			type sent struct {
				media string
				body  []byte
			}
			bodies := []sent{{}}
			if op.RequestBody != nil {
				for media, content := range op.RequestBody.Value.Content {
					contentType, body := p.content(t, media, content.Schema.Value)
					bodies = append(bodies, sent{contentType, body}, sent{p.secret() + "/x", body}, sent{contentType, body[:len(body)/2]})
				}
			}
			full := parameter.ReplaceAllString(path, "1")
			for _, b := range bodies {
				p.send(t, s.URL+full, method, owner.Token, b.media, b.body)
			}
			p.send(t, s.URL+full+"?"+query.Encode(), method, owner.Token, "", nil)
			p.send(t, s.URL+parameter.ReplaceAllStringFunc(path, func(string) string { return p.secret() }), method, owner.Token, "", nil)
			p.send(t, s.URL+full, method, "", "", nil)
		}
	}
	p.send(t, s.URL+"/"+p.secret()+"/"+p.secret(), p.secret(), "", "", nil)
	require.Greater(t, p.n, 1000)
}

// send sends a request; without a token it has credentials that nobody holds.
func (p *planted) send(t *testing.T, address, method, token, media string, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	if token == "" {
		req.Header.Set("Authorization", p.secret()+" "+p.secret())
		req.Header.Set("X-API-Key", p.secret())
	}
	for _, name := range []string{"Cookie", "User-Agent", "Referer", "Idempotency-Key", "If-Match", "If-None-Match", "Accept", "Accept-Language", "Range", "X-Forwarded-For", "X-Forwarded-Host", "Origin", "X-Other", "Traceparent", "Tracestate", "Baggage"} {
		req.Header.Set(name, p.secret())
	}
	if token != "" { // a trace that is continued
		req.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		req.Header.Set("Tracestate", "vendor="+p.secret())
	}
	req.Header.Set("X-Request-ID", "not well formed: "+p.secret())
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.Less(t, res.StatusCode, 500, "%s %s", method, address)
	if res.StatusCode >= http.StatusBadRequest { // other answers may be endless
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
	}
	require.NoError(t, res.Body.Close())
}
