package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/events"
	"tilth/core/event"
	"tilth/core/geo"
	"tilth/tests/mailbox"
	"tilth/tests/rig"
)

// The plants on a sixth of a field die. Those who watch the field are told once, by stream, webhook and e-mail, whatever
// happens later and even if the program restarts; about the neighbouring field they hear only that it is up to date.
func TestAPlantedPatchRaisesOneAlert(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		patch := geo.MultiPolygon{{{{X: -4.2243, Y: 41.7794}, {X: -4.2237, Y: 41.7794}, {X: -4.2237, Y: 41.7822}, {X: -4.2243, Y: 41.7822}, {X: -4.2243, Y: 41.7794}}}}
		before := []string{"2025-05-05", "2025-05-10", "2025-05-15"}
		later := []string{"2025-05-20", "2025-05-25", "2025-05-30"}
		shelf := rig.NewPlantedShelf(t, patch, later[0], append(before, later...)...)
		shelf.Hold(before...)
		post := mailbox.Start(t, mailbox.Options{})
		options := rig.Options{Database: database, Imagery: shelf.Dir, Config: func(cfg *cli.Config) { openHooks(cfg); withMail(post)(cfg) }}
		s := rig.Start(t, options)
		c, target := s.Company("owner", 1000_00), newReceiver(t)
		viewer, silent := s.User(c.CompanyID, "viewer"), s.User(c.CompanyID, "viewer")
		require.Equal(t, true, silent.Expect(200, "GET", "auth/me/", nil).Data(t)["alert_mail"])
		require.Equal(t, false, silent.Expect(200, "PATCH", "auth/me/", map[string]any{"alert_mail": false}).Data(t)["alert_mail"])
		silent.Expect(400, "PATCH", "auth/me/", map[string]any{"alert_mail": "never"})
		types := []string{event.TypeFieldAlert, event.TypeProfileUpdated}
		hook := int64(c.Expect(200, "POST", "webhook/", map[string]any{"url": target.URL, "event_types": types}).Data(t)["id"].(float64))
		lands := []rig.Land{c.Land(shelf.Field, "2025-05-01", "2025-08-31"), c.Land(rig.Archive(t).Parcels[3].Boundary, "2025-05-01", "2025-08-31")}
		orders := make([]int64, len(lands))
		for i, land := range lands {
			orders[i] = int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
		}
		for _, order := range orders {
			c.Until(order, "active")
		}
		for _, watched := range recordsOf(t, c.Expect(200, "POST", "profiles/vegetation-index-profile/monitors/", map[string]any{"order_ids": orders})) {
			require.Empty(t, watched["alerts"])
		}
		var told []events.CloudEvent // in their order
		stream := func(n int) {
			r := listen(t, s.URL, c.Token, "0", "?type="+event.TypeFieldAlert+","+event.TypeProfileUpdated)
			defer r.leave()
			for told = nil; len(told) < n; {
				m, ok := r.next()
				require.True(t, ok)
				var e events.CloudEvent
				require.NoError(t, json.Unmarshal([]byte(m.data), &e))
				told = append(told, e)
			}
		}
		for round, days := range [][]string{append(before, later[0]), append(before, later[:2]...), append(before, later...)} {
			if round == 2 { // some mornings later
				s.Stop()
				raisedEarlier(t, database)
				s = rig.Start(t, options)
				company, email := c.CompanyID, c.Email
				c = rig.Remote(t, s.URL, c.Token)
				c.CompanyID, c.Email = company, email
			}
			shelf.Hold(days...)
			for _, order := range orders {
				lastChecked(t, database, c.CompanyID, order, time.Date(2025, 6, 1+round, 0, 0, 0, 0, time.UTC))
				asked := func() bool {
					var p looked
					c.Expect(200, "GET", rig.OrdersPath+itoa(order)+"/", nil).Into(t, &p)
					return p.Refreshing
				}
				require.True(t, asked())
				rig.Eventually(t, func() bool { return !asked() }, 10*time.Minute, 20*time.Millisecond)
			}
			stream(1 + len(orders)*(round+1)) // the alert, and each round an update of each field
		}
		alert := told[slices.IndexFunc(told, func(e events.CloudEvent) bool { return e.Type == event.TypeFieldAlert })]
		var data event.FieldAlert
		require.NoError(t, json.Unmarshal(alert.Data, &data))
		require.Equal(t, lands[0].Field, data.Field)
		require.Equal(t, []string{"patch", later[0]}, []string{data.Kind, data.Date})
		require.Less(t, data.Value, *data.Against-0.5, "what was green is bare")
		ids := map[string]string{}
		for _, e := range told {
			require.NotContains(t, ids, e.ID)
			ids[e.ID] = e.Type
		}
		rig.Eventually(t, func() bool {
			return len(recordsOf(t, c.Expect(200, "GET", path("webhook", hook)+"deliveries/?state=delivered", nil))) == len(told)
		}, 10*time.Minute, 20*time.Millisecond)
		for _, d := range target.received() {
			delete(ids, d.id)
		}
		require.Empty(t, ids, "the webhook is told what the stream is")
		require.Len(t, recordsOf(t, c.Expect(200, "GET", path("webhook", hook)+"deliveries/", nil)), len(told), "and nothing else")
		letters := []mailbox.Letter{post.Next(), post.Next()}
		require.ElementsMatch(t, []string{c.Email, viewer.Email}, []string{letters[0].To, letters[1].To})
		for _, letter := range letters {
			require.Equal(t, "Alert: Field", letter.Subject)
			require.Contains(t, letter.Text, "\r\n"+data.Message+"\r\n"+fmt.Sprintf("https://tilth.example.org/season/%d/field/%d\r\n", data.Season, data.Field))
		}
		s.Stop()
		raisedEarlier(t, database)
		s = rig.Start(t, options)
		s.Anonymous().Expect(204, "POST", "auth/password/reset/", map[string]any{"email": c.Email}) // comes after anything that was queued
		require.Equal(t, "A new password for Tilth", post.Next().Subject, "no letter a second time")
		c = rig.Remote(t, s.URL, c.Token)
		for i, n := range []int{1, 0} {
			require.Len(t, c.Expect(200, "GET", rig.OrdersPath+itoa(orders[i])+"/monitor/", nil).Data(t)["alerts"], n)
		}
	})
}

// raisedEarlier moves the alerts that no e-mail has reported yet back by two days, as if days had passed.
func raisedEarlier(t *testing.T, database string) {
	t.Helper()
	earlier := "raised_at - INTERVAL '2 days'"
	if strings.HasPrefix(database, "sqlite:") {
		earlier = "'2025-06-01T00:00:00.000000Z'"
	}
	rig.Exec(t, database, "UPDATE alert_notices SET raised_at = "+earlier)
}
