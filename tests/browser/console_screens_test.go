package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

// The table, the settings, and the keyboard.
func TestConsoleScreens(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
	for _, tt := range []struct {
		width int
		dark  bool
	}{{1280, false}, {375, false}, {375, true}} {
		p := console(t, server.URL, "/fields?sort=-area", tt.width, tt.dark)
		p.Until(`document.querySelectorAll("tbody tr").length === 9`)
		var names []string
		p.Run(`[...document.querySelectorAll("tbody tr td:first-child")].slice(0, 2).map((c) => c.textContent)`, &names)
		require.Equal(t, []string{"Border field", "Terrace"}, names)
		accessible(p, "fields")
		fits(p, server.URL, tt.width)
		p.Press("/")
		p.Write("pond")
		p.Until(`document.querySelectorAll("tbody tr").length === 1 && location.search.includes("search=pond")`)
		p.Run(`document.activeElement.blur()`, nil)
		p.Press("?")
		p.Until(`document.querySelector("dialog[open]")`)
		accessible(p, "keyboard")
		click(p, "Close")
		p.Press("g")
		p.Press("s")
		p.Until(`location.pathname.endsWith("/settings/account") && document.body.textContent.includes("` + demo.OwnerMail + `")`)
		accessible(p, "account")
		click(p, "Wallet")
		p.Until(`document.querySelectorAll("tbody tr").length > 0`)
		accessible(p, "wallet")
		fits(p, server.URL, tt.width)
		p.Run(`history.back()`, nil)
		click(p, "Account")
		p.Run(`(() => { const s = document.querySelector(".choices select"); s.value = "es"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
		click(p, "Cerrar sesión")
		p.Until(`document.querySelector("form [name=email]") && document.documentElement.lang === "es"`)
		p.Run(`localStorage.removeItem("language")`, nil)
		require.Empty(t, p.Complaints())
	}
}

// What belongs to another company appears not to exist, and the page says so.
func TestConsoleOfAnothersField(t *testing.T) {
	server := serve(t, rig.Options{Demo: true})
	theirs := server.Company("owner", 0).Land(rig.Square(100, 5), "2025-03-01", "2025-10-31")
	p := console(t, server.URL, fmt.Sprintf("/farm/1/season/1/field/%d", theirs.Field), 1280, false)
	p.Until(`document.querySelector("[role=alert]")?.textContent.includes("There is nothing here")`)
	accessible(p, "nothing")
	click(p, "Go to the farm map")
	p.Until(drawn)
	p.Goto(fmt.Sprintf("%s/season/%d", server.URL, theirs.Season))
	p.Until(`document.body?.textContent.includes("No season")`)
}

// Who belongs to the company, its keys, what it tells others, and what has been done: each on its own tab.
func TestConsoleSettings(t *testing.T) {
	server := serve(t, rig.Options{Demo: true})
	p := console(t, server.URL, "/settings/team", 375, false)
	p.Until(`document.querySelectorAll("tbody tr").length === 3`)
	fill(p, "invited", "new@demo.example")
	click(p, "Invite")
	p.Until(`document.querySelector(".once code")?.textContent.includes("/account/invitation")`)
	accessible(p, "team")
	fits(p, server.URL, 375)
	click(p, "Withdraw")
	click(p, "Withdraw: really")
	p.Until(`document.body.textContent.includes("Withdrawn")`)
	viewer := `[...document.querySelectorAll("tr")].find((r) => r.textContent.includes("` + demo.ViewerMail + `"))?.querySelector("button")`
	p.Until(viewer)
	p.Run(viewer+`.click()`, nil)
	click(p, "Keep out: really")
	p.Until(`[...document.querySelectorAll("tr")].find((r) => r.textContent.includes("` + demo.ViewerMail + `"))?.textContent.includes("Let in again")`)

	click(p, "API keys")
	p.Until(`document.body.textContent.includes("There are no API keys.")`)
	fill(p, "key", "Weekly table")
	click(p, "Create")
	p.Until(`document.querySelector(".once code")`)
	accessible(p, "keys")
	p.Run(`window.made = document.querySelector(".once code").textContent`, nil)
	const status = `fetch("/api/v1.2/field/", { headers: { "X-API-Key": window.made }, credentials: "omit" }).then((r) => r.status)`
	var before, after int
	p.Run(status, &before)
	click(p, "Revoke")
	click(p, "Revoke: really")
	p.Until(`document.body.textContent.includes("There are no API keys.")`)
	p.Run(status, &after)
	require.Equal(t, []int{200, 401}, []int{before, after})

	click(p, "Webhooks")
	p.Until(`document.body.textContent.includes("There are no webhooks.")`)
	fill(p, "url", "https://hooks.example/tilth")
	click(p, "Create")
	p.Until(`document.querySelector(".once code") && document.querySelector("tbody tr")`)
	click(p, "Deliveries")
	p.Until(`document.body.textContent.includes("Nothing has been sent yet.")`)
	accessible(p, "webhooks")
	click(p, "Audit trail")
	p.Until(`document.querySelector("tbody")?.textContent.includes("Create webhook")`)
	accessible(p, "audit")
	fits(p, server.URL, 375)
	for _, complaint := range p.Complaints() {
		require.Contains(t, complaint, "status of 401", "the revoked key, which the browser logs")
	}
}
