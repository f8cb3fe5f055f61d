package account

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/fault"
	coretask "tilth/core/task"
	"tilth/ports"
)

// LetterJob is the kind of the jobs that send letters.
const LetterJob = "mail"

// Limits of links.
const (
	ResetTTL   = time.Hour   // the time for which a link for a new password is valid
	ResetEvery = time.Minute // the minimum interval between two such letters to a user
	keptFor    = 30 * 24 * time.Hour
)

// letterRetry is the retry schedule for a letter when the mail server is unavailable: about a day.
var letterRetry = coretask.Backoff{First: 10 * time.Second, Max: time.Hour, Tries: 30}

// AskLetter puts a letter into the box, with the job that sends it.
func AskLetter(ctx context.Context, box ports.LetterBox, jobs ports.JobWriter, letter *ports.Letter) error {
	if err := box.Put(ctx, letter); err != nil {
		return err
	}
	return jobs.Enqueue(ctx, task.JobOn(LetterJob, letter.CompanyID, letter.ID, letter.CreatedAt))
}

// Links are the addresses that letters point at; the token of a link is appended to them.
type Links struct {
	Invitation string // base of the page that accepts an invitation
	Reset      string // base of the page that sets a new password
	Console    string // of the console
}

// LinksAt returns the pages below the service's public address. That address comes from the configuration: a
// link built from a request's Host header would send the token to whoever wrote the header.
func LinksAt(base string) Links {
	return Links{Invitation: base + InvitationPage, Reset: base + ResetPage, Console: base}
}

// Paths of the pages that links lead to. The token follows as a fragment, which no server or log ever sees.
const (
	InvitationPage = "/account/invitation/#"
	ResetPage      = "/account/password/#"
)

// LetterSender sends letters.
type LetterSender struct {
	Store  ports.Store
	Mailer ports.Mailer
	Clock  ports.Clock
	IDs    ports.IDs
	Links  Links
	Log    *slog.Logger
}

// Run does one job of [LetterJob].
func (s *LetterSender) Run(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, task.ForOperator(s.Store, s.Clock, s.IDs, s.Log), task.Limits{}, letterWork{s}, job)
}

// foreignPause is the time that a letter which this release cannot write waits for a replica that can.
const foreignPause = 15 * time.Second

// letterWork makes the link of a letter, sends the letter and drops it. A crash between sending
// and dropping sends the letter once more, under the same message id.
type letterWork struct{ *LetterSender }

// letterRun is a step of letterWork.
type letterRun = task.Run[ports.OperatorRepos]

// openLetter is a letter in the box, with its text once Begin has run.
type openLetter struct {
	ports.Letter
	message ports.Message
}

func (letterWork) Lock(ctx context.Context, run letterRun) (s openLetter, next task.Next, err error) {
	s.Letter, err = run.Tx.Letters.Get(ctx, run.Job.Subject)
	if fault.Is(err, fault.NotFound) {
		return s, task.Finish(), nil
	}
	return s, task.Continue(), err
}

// Begin makes the link and the text. The letter is dropped where there is nothing to send: the
// invitation is closed, or no user has the address.
func (w letterWork) Begin(ctx context.Context, run letterRun, s *openLetter) (task.Next, error) {
	if err := run.Tx.Tickets.Purge(ctx, run.Now.Add(-keptFor)); err != nil {
		return task.Next{}, err
	}
	write, known := map[string]func(context.Context, letterRun, ports.Letter) (ports.Message, bool, error){
		ports.LetterInvitation: w.invitation, ports.LetterReset: w.reset, ports.LetterGuesses: w.guesses,
		ports.LetterAlerts: w.alerts,
	}[s.Kind]
	if !known { // a newer release queued it, and has a replica that can write it: no try is counted
		w.Log.WarnContext(ctx, "a letter waits for a newer release", "letter", s.ID, "kind", s.Kind)
		return task.Repeat(run.Now.Add(foreignPause)), nil
	}
	message, ready, err := write(ctx, run, s.Letter)
	if err != nil {
		return task.Next{}, err
	}
	if !ready {
		return task.Finish(), run.Tx.Letters.Drop(ctx, s.ID)
	}
	s.message = message
	s.message.ID, s.message.At = fmt.Sprintf("%s-%d-%d", s.Kind, s.ID, s.CreatedAt.UnixMicro()), s.CreatedAt
	return task.Continue(), nil
}

func (w letterWork) Do(ctx context.Context, s openLetter) (struct{}, error) {
	return struct{}{}, w.Mailer.Send(ctx, s.message)
}

// Same is true for every letter: one that is in the box does not change.
func (letterWork) Same(_, _ openLetter) bool { return true }

func (letterWork) Complete(ctx context.Context, run letterRun, s *openLetter, _ struct{}) (task.Next, error) {
	return task.Finish(), run.Tx.Letters.Drop(ctx, s.ID)
}

func (letterWork) Unavailable(_ context.Context, run letterRun, _ openLetter, cause error) (task.Next, error) {
	if pause, again := letterRetry.Wait(run.Job.Attempt, 1); again { // jitter 1: the whole of each step
		return task.Again(run.Now.Add(pause)), nil
	}
	return task.GiveUp(cause.Error()), nil
}

func (w letterWork) Fail(ctx context.Context, run letterRun, s openLetter, reason string) error {
	w.Log.ErrorContext(ctx, "a letter was given up", "letter", s.ID, "attempt", run.Job.Attempt, "reason", reason)
	return run.Tx.Letters.Drop(ctx, s.ID)
}

func (w letterWork) invitation(ctx context.Context, run letterRun, letter ports.Letter) (ports.Message, bool, error) {
	invitation, err := run.Tx.Invitations.Get(ctx, access.Own(letter.CompanyID), letter.InvitationID)
	if err != nil || !invitation.Open(run.Now) {
		return ports.Message{}, false, err
	}
	secret := w.IDs.Secret()
	err = run.Tx.Tickets.Add(ctx, ports.Ticket{
		Hash: HashSecret(secret), CompanyID: invitation.CompanyID, InvitationID: invitation.ID, CreatedAt: run.Now, ExpiresAt: invitation.ExpiresAt,
	})
	return invitationMessage(invitation, w.Links.Invitation+secret), err == nil, err
}

// holder returns the enabled user with a letter's address, if there is one.
func (letterWork) holder(ctx context.Context, run letterRun, letter ports.Letter) (user ports.User, found bool, err error) {
	user, err = run.Tx.Accounts.UserByEmail(ctx, letter.Email)
	if fault.Is(err, fault.NotFound) {
		return user, false, nil
	}
	return user, err == nil && !user.Disabled, err
}

func (w letterWork) guesses(ctx context.Context, run letterRun, letter ports.Letter) (ports.Message, bool, error) {
	user, found, err := w.holder(ctx, run, letter)
	return guessesMessage(user, letter.CreatedAt), found, err
}

func (w letterWork) reset(ctx context.Context, run letterRun, letter ports.Letter) (ports.Message, bool, error) {
	user, found, err := w.holder(ctx, run, letter)
	if err != nil || !found {
		return ports.Message{}, false, err
	}
	if last, err := run.Tx.Tickets.LastFor(ctx, user.ID); err != nil || run.Job.Attempt <= 1 && run.Now.Sub(last) < ResetEvery {
		return ports.Message{}, false, err
	}
	secret := w.IDs.Secret()
	err = run.Tx.Tickets.Add(ctx, ports.Ticket{Hash: HashSecret(secret), UserID: user.ID, CreatedAt: run.Now, ExpiresAt: run.Now.Add(ResetTTL)})
	return resetMessage(user, w.Links.Reset+secret), err == nil, err
}

func invitationMessage(in ports.Invitation, link string) ports.Message {
	by := "You have been invited"
	if in.Inviter != "" {
		by = in.Inviter + " invites you"
	}
	return ports.Message{
		To: in.Email, Name: in.Name, Subject: "Invitation to " + in.Company,
		Text: fmt.Sprintf(`%s to work with %s on Tilth.

Choose a password and begin:

%s

The link can be used once, until %s. If you do not know what this is about, you need
do nothing.
`, by, in.Company, link, in.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST")),
	}
}

func resetMessage(user ports.User, link string) ports.Message {
	return ports.Message{
		To: user.Email, Name: user.Name, Subject: "A new password for Tilth",
		Text: fmt.Sprintf(`Somebody, probably you, asked for a new password for %s.

Choose one here:

%s

The link can be used once, within an hour. If it was not you, you need do nothing: your
password stays as it is.
`, user.Email, link),
	}
}

func guessesMessage(user ports.User, at time.Time) ports.Message {
	return ports.Message{
		To: user.Email, Name: user.Name, Subject: "Wrong passwords for your Tilth account",
		Text: fmt.Sprintf(`Somebody has tried %d wrong passwords or more for %s, the last of them on
%s.

Your account is not locked: you can sign in as usual where you have signed in before. If
it was you, you need do nothing. If it was not, your password has held so far; choose
another one if it is short, or if you use it elsewhere. While this continues you will not
receive another letter about it.
`, access.FreeAttempts, user.Email, at.UTC().Format("2 January 2006, 15:04 MST")),
	}
}
