package issuer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// The client with which people sign in.
const (
	ClientID     = "tilth-console"
	ClientSecret = "secret of the console"
)

// grant is what an issued code stands for.
type grant struct {
	redirect, challenge string
	claims              jwt.MapClaims
}

// SignIn signs in a person who arrived at the address of an authorization, and returns the address that the browser is
// sent back to. change may change the claims of the token that the code is exchanged for.
func (i *Issuer) SignIn(address string, claims jwt.MapClaims, change ...func(jwt.MapClaims)) *url.URL {
	i.t.Helper()
	at, err := url.Parse(address)
	require.NoError(i.t, err)
	asked := at.Query()
	require.Equal(i.t, i.URL+"/auth", at.Scheme+"://"+at.Host+at.Path)
	require.Equal(i.t, []string{"code", ClientID, "S256", "openid email profile"}, []string{asked.Get("response_type"), asked.Get("client_id"), asked.Get("code_challenge_method"), asked.Get("scope")})
	claims["aud"], claims["nonce"] = ClientID, asked.Get("nonce")
	for _, c := range change {
		c(claims)
	}
	code := rand.Text()
	i.mu.Lock()
	i.codes[code] = grant{asked.Get("redirect_uri"), asked.Get("code_challenge"), claims}
	i.mu.Unlock()
	back, err := url.Parse(asked.Get("redirect_uri"))
	require.NoError(i.t, err)
	back.RawQuery = url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode()
	return back
}

// Sit sets the person at the browsers that come to sign in.
func (i *Issuer) Sit(email string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at = email
}

// enter signs in the person at the browser, as set by [Issuer.Sit].
func (i *Issuer) enter(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	at := i.at
	i.mu.Unlock()
	http.Redirect(w, r, i.SignIn(i.URL+r.URL.String(), i.Claims(at, time.Now())).String(), http.StatusSeeOther)
}

// token exchanges a code, once, for the client that began.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	i.mu.Lock()
	g, known := i.codes[r.FormValue("code")]
	delete(i.codes, r.FormValue("code"))
	i.mu.Unlock()
	proof := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != ClientID || secret != ClientSecret || r.FormValue("redirect_uri") != g.redirect ||
		base64.RawURLEncoding.EncodeToString(proof[:]) != g.challenge {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error": "invalid_grant"}`))
		return
	}
	i.answer(w, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300, "id_token": i.Sign(g.claims)})
}
