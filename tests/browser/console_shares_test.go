package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/app/operating"
	"tilth/tests/rig"
)

// A company offers another a selection of its data, and withdraws the offer. The page of the server's health is shown.
func TestConsoleSharesAndHealth(t *testing.T) {
	server := serve(t, rig.Options{Demo: true})
	other := server.Company("owner", 0)
	uuid := other.Expect(200, "GET", "auth/me/", nil).Data(t)["company"].(map[string]any)["uuid"].(string)
	p := console(t, server.URL, "/settings/shares", 375, true)
	p.Until(`document.body.textContent.includes("Nothing is shared, with you or by you.")`)
	accessible(p, "no shares")
	fill(p, "grantee", uuid)
	click(p, "Offer")
	p.Until(`document.querySelector("tbody")?.textContent.includes("Offered") && document.querySelector("tbody").textContent.includes("All farms and fields")`)
	accessible(p, "shares")
	fits(p, server.URL, 375)
	var grants []map[string]any
	other.Expect(200, "GET", "share-grant/", nil).Into(t, &grants)
	require.Len(t, grants, 1)
	require.Equal(t, []any{"farm.view", "field.view", "season.view", "cultivation.view", "fertilization.view"}, grants[0]["slugs"])
	click(p, "Revoke")
	click(p, "Revoke: really")
	p.Until(`document.querySelector("tbody")?.textContent.includes("Withdrawn")`)
	click(p, "Server status")
	p.Until(`document.body.textContent.includes("All components answer.")`)
	accessible(p, "health")
	require.Empty(t, p.Complaints())
}

// An operator sees the jobs of the installation, and is told why there is no farm; others have no such tab. A user who
// may only look reads an assessment, and is told why no field can be added.
func TestConsoleJobs(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
	const mail = "operator@demo.example"
	_, err := server.Operating.CreateUser(t.Context(), operating.NewUser{Email: mail, Password: demo.Password, Operator: true})
	require.NoError(t, err)
	p := Open(t)
	p.Screen(1280, 900, false, false)
	p.Goto(server.URL + "/settings/jobs")
	signInAs(p, mail, demo.Password)
	p.Until(`document.querySelector("[name=state]")`)
	p.Run(`(() => { const s = document.querySelector("[name=state]"); s.value = "failed"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
	p.Until(`location.search === "?state=failed" && document.body.textContent.includes("No jobs waiting, running or failed.")`)
	accessible(p, "jobs")
	p.Goto(server.URL + "/dashboard")
	p.Until(`document.body.textContent.includes("You belong to no company")`)
	require.Empty(t, p.Complaints())

	owner := console(t, server.URL, "/settings/jobs", 1280, false)
	owner.Until(`document.body.textContent.includes("There is nothing here.")`)
	var made int64
	owner.Run(`fetch("/api/v1.2/ghg/assessments/", {
		method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ resource_type: "field", resource_id: 1, assessment_year: 2025 }),
	}).then((r) => r.json()).then((a) => a.data.id)`, &made)

	viewer := Open(t)
	viewer.Screen(375, 812, true, false)
	viewer.Goto(fmt.Sprintf("%s/assessment/%d/general", server.URL, made))
	signInAs(viewer, demo.ViewerMail, demo.Password)
	viewer.Until(`document.querySelector("main h1")?.textContent.includes("2025") && document.querySelector("fieldset:disabled")`)
	viewer.Goto(server.URL + "/add")
	viewer.Until(`document.querySelector("main")?.textContent.includes("Ask an owner of your company for field.create.")`)
	require.Empty(t, viewer.Complaints())
}
