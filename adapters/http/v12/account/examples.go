package account

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"token_create":             `{"email": "owner@demo.example", "password": "tilth-demo-2025"}`,
	"oidc_session_create":      `{"state": "p6zD0zJQ2bJm3yq8eJ0m9pXc1l4v7s2u5w8x0z3A6C9", "code": "4f1c9d52a7"}`,
	"session_create":           `{"email": "owner@demo.example", "password": "tilth-demo-2025"}`,
	"setup_create":             `{"token": "what follows # in the address that the server printed", "company": "Acme Farms", "name": "Ada Agronomist", "email": "ada@acme.example", "password": "sixteen sheep graze", "credit": 1000}`,
	"token_refresh":            `{"refresh": "the refresh token of the last answer"}`,
	"token_revoke":             `{"refresh": "the refresh token of the last answer"}`,
	"me_partial_update":        `{"alert_mail": true}`,
	"password_change":          `{"current": "tilth-demo-2025", "new": "sixteen sheep graze"}`,
	"password_reset":           `{"email": "owner@demo.example"}`,
	"password_reset_confirm":   `{"token": "the token of the link", "password": "sixteen sheep graze"}`,
	"invitation_accept":        `{"token": "the token of the link", "password": "sixteen sheep graze", "name": "Ada Agronomist"}`,
	"invitation_create":        `{"email": "ada@example.com", "name": "Ada Agronomist", "roles": ["editor"]}`,
	"api_key_create":           `{"name": "Map of the office", "slugs": ["farm.view", "field.*"], "expires_at": "2030-12-31T23:59:59Z"}`,
	"role_create":              `{"name": "agronomist", "slugs": ["farm.view", "field.*", "cultivation.*", "*.view"]}`,
	"role_update":              `{"name": "agronomist", "slugs": ["*.view"]}`,
	"role_partial_update":      `{"slugs": ["*.view", "assessment.*"]}`,
	"role_partial_update_many": `[{"id": 4, "slugs": ["*.view", "assessment.*"]}]`,
	"user_partial_update":      `{"roles": ["editor"], "disabled": false}`,
	"user_partial_update_many": `[{"id": 2, "roles": ["viewer"]}]`,
	"share_grant_create":       `{"grantee_uuid": "6f1d0a54-5b0e-4a52-9d5c-1f7d5a3c0b11", "target": "farm", "farm_id": 1, "slugs": ["farm.view", "field.view", "vi-profile.view"], "ends_on": "2030-12-31"}`,
}
