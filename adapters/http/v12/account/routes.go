// Package account has the routes of accounts: signing in, passwords, users and roles, invitations,
// API keys, share grants and the audit trail. The wallet is in satellite.
package account

import (
	"tilth/adapters/http/rest"
	"tilth/app/account"
	auditapp "tilth/app/audit"
	"tilth/app/moving"
	"tilth/app/operating"
)

const (
	signInTag = "Signing in"
	peopleTag = "Users and roles"
)

// Deps are the use cases that these routes offer.
type Deps struct {
	Identity *account.Identity
	People   *account.People
	Keys     *account.Keys
	Sharing  *account.Sharing
	Trail    *auditapp.Trail
	Exports  *moving.Exports
	Setup    *operating.Setup
}

// Register adds the routes of accounts.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	a.DescribeTag(signInTag, "Exchanges passwords for tokens. Everything else takes an access token as `Authorization: Bearer …`.")
	a.DescribeTag(peopleTag, "Who belongs to your company, and what each of them may do. A change takes effect with the next request.")
	a.DescribeCodes(map[string]string{
		"invalid_credentials": "no active account has this e-mail and password (401)",
		"token_expired":       "the access token has expired (401)",
		"refresh_invalid":     "the refresh token was used or revoked, has expired, or never existed (401)",
		"user_disabled":       "the user was disabled (401)",
		"too_many_attempts":   "too many wrong passwords from this address, or for this account from addresses that it has not signed in from; details hold retry_after, in seconds (429)",
		"password_wrong":      "the current password is wrong (400)",
		"link_invalid":        "the token of a one-time link was used or revoked, has expired, or never existed (400); or a signed link is not valid for this address, or whoever made it may no longer do what it permits (401)",
		"email_taken":         "a user with this e-mail address exists (400)",
		"last_owner":          "the company would be left without an enabled owner (400)",
		"role_in_use":         "users hold the role, or open invitations give it; details hold how many (400)",
		"role_built_in":       "the role owner can be neither changed nor deleted (400)",
		"role_exists":         "a role of this name exists (400)",
		"role_exceeds_own":    "only those who hold a permission may decide who else does (400)",
		"invitation_closed":   "the invitation was accepted or revoked already (400)",
		"export_running":      "an export of the company is under way (409)",
		"export_not_ready":    "the export is not done, or has failed; there is no file (409)",
	})
	registerSignIn(a, d.Identity, d.People)
	registerSetup(a, d.Setup)
	registerUsers(a, d.People)
	registerRoles(a, d.People)
	registerInvitations(a, d.People)
	registerAPIKeys(a, d.Keys)
	registerShareGrants(a, d.Sharing)
	registerAudit(a, d.Trail)
	registerExports(a, d.Exports)
}
