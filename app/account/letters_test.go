package account_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/migrated"
)

// clock stands still until a test moves it.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

type ids struct{ n atomic.Int64 }

func (i *ids) UUID() string    { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i.n.Add(1)) }
func (i *ids) Secret() string  { return fmt.Sprintf("secret-%d", i.n.Add(1)) }
func (i *ids) Jitter() float64 { return 0 }

// post is a mail server that fails on demand.
type post struct {
	err  error
	sent []ports.Message
}

func (p *post) Send(_ context.Context, m ports.Message) error {
	p.sent = append(p.sent, m)
	return p.err
}

func (p *post) Describe() string { return "a test" }

// office is a sender of letters over a database, with a company, a user and an open invitation.
type office struct {
	t          *testing.T
	db         *persistence.Database
	clock      *clock
	post       *post
	sender     *account.LetterSender
	company    ports.Company
	invitation ports.Invitation
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, clock: &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, post: &post{}}
	source := &ids{}
	var err error
	o.db, err = persistence.Open(t.Context(), migrated.SQLite(t), persistence.Options{Clock: o.clock, Shared: o.clock, IDs: source})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, o.db.Close()) })
	o.company = ports.Company{UUID: source.UUID(), Name: "Acme", CreatedAt: o.clock.now}
	o.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &o.company, access.DefaultRoles()); err != nil {
			return err
		}
		return tx.Accounts.CreateUser(ctx, &ports.User{CompanyID: o.company.ID, Email: "ann@example.org", Name: "Ann", CreatedAt: o.clock.now})
	})
	o.invitation = ports.Invitation{Email: "bob@example.org", Name: "Bob", Roles: []string{"viewer"}, CreatedAt: o.clock.now, ExpiresAt: o.clock.now.Add(7 * 24 * time.Hour)}
	o.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Invitations.Insert(ctx, access.Own(o.company.ID), &o.invitation, "first")
	})
	o.sender = &account.LetterSender{
		Store: o.db, Mailer: o.post, Clock: o.clock, IDs: source, Links: account.LinksAt("https://tilth.example.org"), Log: slog.New(slog.DiscardHandler),
	}
	return o
}

func (o *office) operate(do func(ctx context.Context, tx ports.OperatorRepos) error) {
	o.t.Helper()
	require.NoError(o.t, o.db.Operate(o.t.Context(), do))
}

func (o *office) ask(letter ports.Letter) {
	o.t.Helper()
	letter.CreatedAt = o.clock.now
	o.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		return account.AskLetter(ctx, tx.Letters, tx.Jobs, &letter)
	})
}

func (o *office) invite() {
	o.ask(ports.Letter{Kind: ports.LetterInvitation, Email: o.invitation.Email, CompanyID: o.company.ID, InvitationID: o.invitation.ID})
}

// work runs the jobs that are due and returns their number.
func (o *office) work() int {
	o.t.Helper()
	jobs, err := o.db.Queue().Claim(o.t.Context(), o.clock.now, time.Minute, 10)
	require.NoError(o.t, err)
	for _, job := range jobs {
		require.NoError(o.t, o.sender.Run(o.t.Context(), job))
	}
	return len(jobs)
}

func TestALetterIsTriedUntilItIsTaken(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.post.err = fault.New(fault.Unavailable, "mail_unavailable", "Away.")
	o.invite()
	require.Equal(t, 1, o.work())
	require.Zero(t, o.work(), "a pause comes before the next try")
	o.clock.now = o.clock.now.Add(10 * time.Second)
	require.Equal(t, 1, o.work())
	o.clock.now = o.clock.now.Add(10 * time.Second)
	require.Zero(t, o.work(), "the pauses grow")
	o.clock.now, o.post.err = o.clock.now.Add(time.Hour), nil
	require.Equal(t, 1, o.work())
	o.clock.now = o.clock.now.Add(24 * time.Hour)
	require.Zero(t, o.work(), "what was taken is not sent again")
	require.Len(t, o.post.sent, 3)
	links := map[string]bool{}
	for _, m := range o.post.sent {
		require.Equal(t, o.post.sent[0].ID, m.ID, "a receiver can tell repeats")
		require.Equal(t, "bob@example.org", m.To)
		require.Contains(t, m.Text, "https://tilth.example.org/account/invitation/#secret-")
		links[m.Text] = true
	}
	require.Len(t, links, 3, "each try has a link of its own, since none is stored")
}

// While releases are replaced one by one, an older one may take a letter that only the newer one can write: it is left for that
// one, however long it takes.
func TestALetterOfANewerReleaseWaitsForIt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.ask(ports.Letter{Kind: "of a newer release", Email: "ann@example.org", CompanyID: o.company.ID})
	for range 120 {
		require.Equal(t, 1, o.work())
		require.Zero(t, o.work(), "another replica may have it in the meantime")
		o.clock.now = o.clock.now.Add(time.Minute)
	}
	require.Empty(t, o.post.sent)
	jobs, err := o.db.Queue().Claim(t.Context(), o.clock.now, time.Minute, 10)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.Equal(t, 1, jobs[0].Attempt, "no try is counted")
	o.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		letter, err := tx.Letters.Get(ctx, jobs[0].Subject)
		require.Equal(t, "of a newer release", letter.Kind)
		return err
	})
}

func TestALetterIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.post.err = fault.New(fault.Invalid, "mail_refused", "Never.")
	o.invite()
	require.Equal(t, 1, o.work())
	o.clock.now = o.clock.now.Add(24 * time.Hour)
	require.Zero(t, o.work(), "a refused letter is not sent again")

	o.post.err, o.post.sent = fault.New(fault.Unavailable, "mail_unavailable", "Away."), nil
	o.ask(ports.Letter{Kind: ports.LetterReset, Email: "ann@example.org"})
	for range 100 {
		o.work()
		o.clock.now = o.clock.now.Add(2 * time.Hour)
	}
	require.Len(t, o.post.sent, 30)
}

func TestOnlyWhoMayBeWrittenToIs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	reset := func(email string) { o.ask(ports.Letter{Kind: ports.LetterReset, Email: email}) }
	reset("nobody@example.org")
	require.Equal(t, 1, o.work())
	require.Empty(t, o.post.sent)

	reset("ann@example.org")
	o.work()
	require.Len(t, o.post.sent, 1)
	reset("ann@example.org")
	o.work()
	require.Len(t, o.post.sent, 1, "one a minute")
	o.clock.now = o.clock.now.Add(account.ResetEvery)
	reset("ann@example.org")
	o.work()
	require.Len(t, o.post.sent, 2)

	// The link is valid for an hour, and only its hash is kept.
	_, link, _ := strings.Cut(o.post.sent[1].Text, "/account/password/#")
	secret, _, _ := strings.Cut(link, "\n")
	o.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		_, err := tx.Tickets.Get(ctx, secret)
		require.True(t, fault.Is(err, fault.NotFound))
		ticket, err := tx.Tickets.Get(ctx, account.HashSecret(secret))
		require.Equal(t, o.clock.now.Add(account.ResetTTL), ticket.ExpiresAt)
		return err
	})

	o.post.sent = nil
	o.operate(func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Invitations.Revoke(ctx, access.Own(o.company.ID), o.invitation.ID, o.clock.now)
	})
	o.invite()
	require.Equal(t, 1, o.work())
	require.Empty(t, o.post.sent, "a revoked invitation is not sent")
}
