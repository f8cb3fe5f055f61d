package browser

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/demo"
	"tilth/tests/issuer"
	"tilth/tests/rig"
)

// People sign in at their identity provider and arrive at the page that they wanted; a stranger is told that nobody here has that address.
func TestConsoleSignsInAtAProvider(t *testing.T) {
	i := issuer.Start(t)
	server := serve(t, rig.Options{Demo: true, Config: func(c *cli.Config) {
		c.OIDCIssuer, c.OIDCAudience, c.OIDCClientID, c.OIDCClientSecret, c.BuiltinIssuer = i.URL, issuer.Audience, issuer.ClientID, issuer.ClientSecret, false
	}})
	p := Open(t)
	p.Screen(375, 812, true, false)
	i.Sit("stranger@nowhere.example")
	p.Goto(server.URL + "/fields?sort=-area")
	at, err := url.Parse(i.URL)
	require.NoError(t, err)
	button := "Sign in with " + at.Host
	p.Until(`[...document.querySelectorAll("button")].some((b) => b.textContent.trim() === "` + button + `") && !document.querySelector("[name=password]")`)
	accessible(p, "sign in at a provider")
	fits(p, server.URL, 375)
	click(p, button)
	p.Until(`document.querySelector("[role=alert]")?.textContent.includes("No user here has the e-mail address")`)
	p.Until(`location.search === "?next=%2Ffields%3Fsort%3D-area"`)
	accessible(p, "refused")

	i.Sit(demo.OwnerMail)
	click(p, button)
	p.Until(`location.pathname + location.search === "/fields?sort=-area" && document.querySelectorAll("tbody tr").length === 9`)
	p.Goto(server.URL + "/settings/account")
	p.Until(`document.body.textContent.includes("` + demo.OwnerMail + `")`)
	for _, complaint := range p.Complaints() {
		require.Contains(t, complaint, "status of 401", "of the stranger")
	}
}
