package http

import (
	"fmt"
	"net/http"

	"tilth/core/markup"
)

// accountPolicy is the content policy of the pages that one-time links lead to. They send a form to
// the interface, and load nothing from elsewhere.
const accountPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// nameInput is where people who join enter their name.
const nameInput markup.Text = `<label for="name">Your name</label>
  <input id="name" name="name" maxlength="255" autocomplete="name" placeholder="as in the invitation">`

// accountPages adds the pages that one-time links lead to. The token of a link is a
// fragment: it stays in the browser until its owner sends the form.
func (s *Server) accountPages(pages map[string]http.Handler) error {
	script, err := assets.ReadFile("assets/account.js")
	if err != nil {
		return fmt.Errorf("read the script of the account pages: %w", err)
	}
	pages["/account/account.js"] = file("text/javascript; charset=utf-8", script)
	base := s.config.Interface.Base
	for path, holes := range map[string]map[string]any{
		"/account/invitation": {
			"Title": "Welcome", "Text": "Choose a password to accept the invitation.", "Button": "Join", "Name": nameInput,
			"Action": base + "auth/invitation/accept/", "Done": "You have joined. Sign in with your e-mail address and this password.",
		},
		"/account/password": {
			"Title": "New password", "Text": "Choose a new password. Every device that is signed in has to sign in again.", "Button": "Set the password", "Name": "",
			"Action": base + "auth/password/reset/confirm/", "Done": "Your password is set. Sign in with it.",
		},
	} {
		if pages[path], err = render("account.html", accountPolicy, holes); err != nil {
			return err
		}
	}
	return nil
}
