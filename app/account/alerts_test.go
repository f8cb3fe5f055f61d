package account_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/account"
	"tilth/core/access"
	"tilth/ports"
)

// newsroom is an office whose company has members of several kinds, with the writer of the letters about alerts.
type newsroom struct {
	*office
	mail *account.AlertMail
}

func newNewsroom(t *testing.T) *newsroom {
	t.Helper()
	n := &newsroom{office: newOffice(t)}
	n.mail = &account.AlertMail{Store: n.db, Clock: n.clock, Posted: true}
	scope := access.Own(n.company.ID)
	n.write(func(ctx context.Context, tx ports.Repos) error {
		blind := access.Role{Name: "bookkeeper", Slugs: []string{"wallet.view", "field.*"}}
		return tx.Roles.Insert(ctx, scope, &blind)
	})
	for _, one := range []struct {
		name, role       string
		disabled, silent bool
	}{{"owner", "owner", false, false}, {"viewer", "viewer", false, false}, {"bookkeeper", "bookkeeper", false, false}, {"gone", "owner", true, false}, {"silent", "owner", false, true}} {
		n.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
			user := ports.User{CompanyID: n.company.ID, Email: one.name + "@example.org", Name: one.name, CreatedAt: n.clock.now}
			if err := tx.Accounts.CreateUser(ctx, &user); err != nil {
				return err
			}
			if err := tx.Members.Update(ctx, scope, ports.Member{ID: user.ID, Name: user.Name, Roles: []string{one.role}, Disabled: one.disabled}); err != nil {
				return err
			}
			return tx.Members.WantAlertMail(ctx, scope, user.ID, !one.silent)
		})
	}
	return n
}

func (n *newsroom) write(do func(ctx context.Context, tx ports.Repos) error) {
	n.t.Helper()
	require.NoError(n.t, n.db.Write(n.t.Context(), do))
}

func (n *newsroom) raise(fields ...string) {
	n.t.Helper()
	n.write(func(ctx context.Context, tx ports.Repos) error {
		for i, field := range fields {
			against := 0.71
			err := tx.Alerts.Put(ctx, access.Own(n.company.ID), ports.AlertNotice{
				Field: field, FieldID: int64(i + 1), Season: "2026", SeasonID: 4, Index: "NDVI", Date: "2026-02-27", Value: 0.42, Against: &against,
				Message: "The NDVI fell.", At: n.clock.now,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// look writes the letters that are due, sends them, and returns the recipients.
func (n *newsroom) look() (to []string) {
	n.t.Helper()
	n.post.sent = nil
	_, err := n.mail.Run(n.t.Context())
	require.NoError(n.t, err)
	n.work()
	for _, m := range n.post.sent {
		to = append(to, strings.TrimSuffix(m.To, "@example.org"))
	}
	return to
}

func TestAlertsAreToldOnceADayToWhomTheyConcern(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t) // it is noon
	n.raise("North pivot", "Walk field")
	require.Empty(t, n.look(), "they wait for the morning")
	n.clock.now = time.Date(2026, 3, 2, 5, 14, 0, 0, time.UTC)
	require.Empty(t, n.look())
	n.raise("Mill fallow") // for the next morning
	n.clock.now = n.clock.now.Add(time.Minute)
	require.ElementsMatch(t, []string{"owner", "viewer"}, n.look())
	m := n.post.sent[0]
	require.Equal(t, "Alert: North pivot and 1 more field", m.Subject)
	for _, part := range []string{
		"2 new alerts of Acme.\n", "\nWalk field, season 2026\n2026-02-27: NDVI 0.42, against 0.71\nThe NDVI fell.\nhttps://tilth.example.org/season/4/field/2\n", "https://tilth.example.org/settings/account\n",
	} {
		require.Contains(t, m.Text, part)
	}
	require.NotContains(t, m.Text, "Mill fallow")
	require.Empty(t, n.look(), "once")
	n.clock.now = n.clock.now.Add(12 * time.Hour)
	require.Empty(t, n.look(), "one letter a day")
	n.clock.now = n.clock.now.Add(12 * time.Hour)
	require.ElementsMatch(t, []string{"owner", "viewer"}, n.look())
	require.Equal(t, "Alert: Mill fallow", n.post.sent[0].Subject)
	n.clock.now = n.clock.now.Add(24 * time.Hour)
	require.Empty(t, n.look(), "a day without alerts is one without a letter")
}

// A letter that the mail server rejected is sent again unchanged; a recipient who has since opted out is spared.
func TestALetterAboutAlertsIsTriedAsItIs(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t)
	n.raise("North pivot")
	n.clock.now = n.clock.now.Add(24 * time.Hour)
	n.post.err = context.DeadlineExceeded
	require.Len(t, n.look(), 2)
	first := n.post.sent[0]
	n.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		viewer, err := tx.Accounts.UserByEmail(ctx, "viewer@example.org")
		if err != nil {
			return err
		}
		return tx.Members.WantAlertMail(ctx, access.Own(n.company.ID), viewer.ID, false)
	})
	n.post.err = nil
	n.clock.now = n.clock.now.Add(2 * time.Hour)
	require.Equal(t, []string{"owner"}, n.look())
	require.Equal(t, first, n.post.sent[0])
	n.clock.now = n.clock.now.Add(24 * time.Hour)
	require.Empty(t, n.look())
}

// Without a mail server nothing is written, and nothing piles up until there is one.
func TestWithoutAMailServerThereAreNoLettersAboutAlerts(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t)
	n.mail.Posted = false
	n.raise("North pivot")
	n.clock.now = n.clock.now.Add(24 * time.Hour)
	require.Empty(t, n.look())
	n.mail.Posted = true
	require.Empty(t, n.look())
}

func TestALetterNamesSomeOfManyAlerts(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t)
	n.raise(strings.Split(strings.Repeat("Field,", 59)+"Field", ",")...)
	n.clock.now = n.clock.now.Add(24 * time.Hour)
	require.Len(t, n.look(), 2)
	require.Contains(t, n.post.sent[0].Text, "And 10 more alerts; all of them:\nhttps://tilth.example.org/fields\n")
	require.Equal(t, 50, strings.Count(n.post.sent[0].Text, "The NDVI fell."))
}
