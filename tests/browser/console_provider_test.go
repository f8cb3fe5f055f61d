package browser

import (
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
	const button = `[...document.querySelectorAll("button")].find((b) => b.textContent.trim().startsWith("Sign in with 127.0.0.1"))`
	p.Until(button + ` && !document.querySelector("[name=password]")`)
	accessible(p, "sign in at a provider")
	fits(p, server.URL, 375)
	p.Run(button+`.click()`, nil)
	p.Until(`document.querySelector("[role=alert]")?.textContent.includes("No user here has the e-mail address")`)
	p.Until(`location.search === "?next=%2Ffields%3Fsort%3D-area"`)
	accessible(p, "refused")

	i.Sit(demo.OwnerMail)
	p.Run(button+`.click()`, nil)
	p.Until(`location.pathname + location.search === "/fields?sort=-area" && document.querySelectorAll("tbody tr").length === 9`)
	p.Goto(server.URL + "/settings/account")
	p.Until(`document.body.textContent.includes("` + demo.OwnerMail + `")`)
	for _, complaint := range p.Complaints() {
		require.Contains(t, complaint, "status of 401", "of the stranger")
	}
}
