package account

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/core/access"
)

// APIKeyWrite is a request for an API key.
type APIKeyWrite struct {
	Name      string     `json:"name" minLength:"1" maxLength:"255" doc:"What the key is for."`
	Slugs     *[]string  `json:"slugs" required:"false" maxItems:"100" doc:"What the key may do, as field.view, field.* or *.view; left out or empty: all that its user may do. It can never do more."`
	ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"When the key ends, in the future; left out or null: never."`
	form.External
}

// APIKey is an API key as lists show it, without the key itself.
type APIKey struct {
	ID        int64      `json:"id" doc:"Id of the key, as audit entries name it."`
	CreatedAt time.Time  `json:"created_at" doc:"When the record was made."`
	User      form.Ref   `json:"user" doc:"On whose behalf the key acts."`
	Name      string     `json:"name" doc:"What the key is for."`
	Prefix    string     `json:"prefix" doc:"How the key begins, to recognise it by."`
	Slugs     []string   `json:"slugs" doc:"What the key may do; empty: all that its user may do. It can never do more."`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the key ends; null: never."`
	form.External
}

// NewAPIKey is an API key as its maker gets it, once.
type NewAPIKey struct {
	APIKey
	Key string `json:"key" doc:"The key. It is shown this once; only a hash of it is kept."`
}

func showKey(k access.APIKey) APIKey {
	return APIKey{k.ID, k.CreatedAt, form.Named(k.User), k.Name, k.Prefix, orEmpty(k.Slugs), k.ExpiresAt, form.ExternalOf(k.External)}
}

func registerAPIKeys(a *rest.API, k *account.Keys) {
	a.DescribeTag("API keys", "Credentials for programs. Where no access token is given, every operation takes a key as the header `X-API-Key`, except those of signing in, "+
		"keys, users, roles and invitations; farm management also takes it as `?api_key=`, from tools that cannot send headers. "+
		"A key acts as the user who created it, gives access to no more than its `slugs`, and ends with that user.")
	a.DescribeCodes(map[string]string{
		"api_key_invalid": "the API key was revoked, or never existed (401)",
		"api_key_expired": "the API key has expired (401)",
		"operator_key":    "an operator has no API keys (400)",
	})
	route := rest.Routes{Base: "api-key/", Operation: "api_key", Tag: "API keys", Noun: "API key", Keys: rest.KeyNowhere}.Route
	list := route(http.MethodGet, "", access.APIKeys.View.For("list"), "List API keys")
	form.HandleList(a, list, form.WithExternalID(nil), k.List, showKey)
	rest.Handle(a, route(http.MethodGet, "{id}/", access.APIKeys.View.For("retrieve"), "Retrieve an API key"),
		form.OnRecord(k.Retrieve, showKey))
	create := route(http.MethodPost, "", access.APIKeys.Create.For("create"), "Create an API key")
	create.Faults = []int{http.StatusConflict}
	create.Message = "API key created. It is shown this once."
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in rest.JSON[APIKeyWrite]) (NewAPIKey, error) {
		c.SetHeader("Cache-Control", "no-store")
		req := account.KeyRequest{Name: in.Body.Name, ExpiresAt: in.Body.ExpiresAt, Slugs: form.OrZero(in.Body.Slugs), External: in.Body.External.Record()}
		key, text, err := k.Create(ctx, c.Principal(), req)
		return NewAPIKey{showKey(key), text}, err
	})
	revoke := route(http.MethodDelete, "{id}/", access.APIKeys.Delete.For("destroy"), "Revoke an API key")
	revoke.Description = "The key no longer works from the next request on, and is no longer listed."
	revoke.Status = http.StatusNoContent
	rest.Handle(a, revoke, form.Remove(k.Revoke))
	form.DeleteEach(a, route(http.MethodDelete, "", access.APIKeys.Delete.For("destroy_many"), "Revoke API keys"), "API keys", k.Together, k.Revoke)
}
