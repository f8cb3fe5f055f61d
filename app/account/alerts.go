package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// A letter about alerts covers those raised up to a fixed hour of the day, in UTC. It is written once every transaction that
// raised something by then has ended.
const (
	alertHour  = 5
	alertGrace = 15 * time.Minute
)

// AlertMail writes the letters about the alerts of watched fields: one a day for each member of a company who may view profiles
// and wants the letters.
type AlertMail struct {
	Store  ports.Store
	Clock  ports.Clock
	Posted bool // whether there is a mail server; without one nothing is written, and nothing is kept
}

// Run writes the letters that are due, and returns their number.
func (a *AlertMail) Run(ctx context.Context) (written int64, err error) {
	before := alertsBefore(a.Clock.Now())
	var companies []int64
	err = a.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		companies, err = tx.Alerts.Companies(ctx, before)
		return err
	})
	for _, company := range companies {
		if err != nil {
			break
		}
		var n int64
		err = a.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
			n, err = a.tell(ctx, tx, company, before)
			return err
		})
		written += n
	}
	return written, err
}

// alertsBefore returns the time before which an alert must have been raised to be in a letter written now.
func alertsBefore(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	cut := time.Date(y, m, d, alertHour, 0, 0, 0, time.UTC)
	if now.Before(cut.Add(alertGrace)) {
		cut = cut.AddDate(0, 0, -1)
	}
	return cut
}

// tell takes the alerts of a company, and writes a letter about them to each member who should get one.
func (a *AlertMail) tell(ctx context.Context, tx ports.OperatorRepos, company int64, before time.Time) (written int64, err error) {
	alerts, err := tx.Alerts.Take(ctx, company, before)
	if err != nil || len(alerts) == 0 || !a.Posted {
		return 0, err
	}
	scope := access.Own(company)
	all, err := tx.Roles.All(ctx, scope)
	if err != nil {
		return 0, err
	}
	slugs := map[string][]string{}
	for _, role := range all {
		slugs[role.Name] = role.Slugs
	}
	var to []string // collected first: a query must end before the next one
	for member, err := range tx.Members.Each(ctx, scope, ports.Query{}) {
		if err != nil {
			return 0, err
		}
		if !member.Disabled && member.AlertMail && mayView(member, slugs) {
			to = append(to, member.Email)
		}
	}
	for _, email := range to {
		letter := ports.Letter{Kind: ports.LetterAlerts, Email: email, CompanyID: company, Alerts: alerts, CreatedAt: a.Clock.Now()}
		if err := AskLetter(ctx, tx.Letters, tx.Jobs, &letter); err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}

// mayView reports whether one of a member's roles lets them view profiles.
func mayView(member ports.Member, slugs map[string][]string) bool {
	var held []string
	for _, role := range member.Roles {
		held = append(held, slugs[role]...)
	}
	return access.Covers(held, string(access.ProfileOrders.View.Slug()))
}

// alerts writes a letter about alerts, unless its reader has since left the company or opted out.
func (w letterWork) alerts(ctx context.Context, run letterRun, letter ports.Letter) (ports.Message, bool, error) {
	user, found, err := w.holder(ctx, run, letter)
	if err != nil || !found || user.CompanyID != letter.CompanyID {
		return ports.Message{}, false, err
	}
	member, err := run.Tx.Members.Get(ctx, access.Own(user.CompanyID), user.ID)
	if fault.Is(err, fault.NotFound) || err == nil && !member.AlertMail {
		return ports.Message{}, false, nil
	}
	if err != nil {
		return ports.Message{}, false, err
	}
	company, err := run.Tx.Accounts.Company(ctx, letter.CompanyID)
	return alertsMessage(user, company.Name, letter.Alerts, w.Links.Console), err == nil, err
}

// alertsInFull is the number of alerts that a letter shows in full; it only counts the others.
const alertsInFull = 50

func alertsMessage(user ports.User, company string, alerts []ports.AlertNotice, console string) ports.Message {
	fields := map[int64]bool{}
	for _, one := range alerts {
		fields[one.FieldID] = true
	}
	subject := "Alert: " + alerts[0].Field
	if n := len(fields) - 1; n > 0 {
		subject += fmt.Sprintf(" and %s", counted(n, "more field"))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s of %s.\n", counted(len(alerts), "new alert"), company)
	for _, one := range alerts[:min(len(alerts), alertsInFull)] {
		figures := fmt.Sprintf("%s %.2f", one.Index, one.Value)
		if one.Against != nil {
			figures += fmt.Sprintf(", against %.2f", *one.Against)
		}
		fmt.Fprintf(&text, "\n%s, season %s\n%s: %s\n%s\n%s/season/%d/field/%d\n", one.Field, one.Season, one.Date, figures, one.Message, console, one.SeasonID, one.FieldID)
	}
	if more := len(alerts) - alertsInFull; more > 0 {
		fmt.Fprintf(&text, "\nAnd %s; all of them:\n%s/fields\n", counted(more, "more alert"), console)
	}
	fmt.Fprintf(&text, `
You receive this because you may view the profiles of %s: at most one letter a
day, and none on a day without alerts. To stop receiving them, sign in and clear the
checkbox under Settings:

%s/settings/account
`, company, console)
	return ports.Message{To: user.Email, Name: user.Name, Subject: subject, Text: text.String()}
}

// counted returns a count with its noun, in the plural where needed.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
