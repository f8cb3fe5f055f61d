package account

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// LetterJob is the kind of the jobs that send letters.
const LetterJob = "mail"

// Limits of links and tries.
const (
	ResetTTL   = time.Hour       // how long a link for a new password is good
	ResetEvery = time.Minute     // a user is sent one no more often
	firstRetry = 5 * time.Second // doubled by each further try
	lastRetry  = time.Hour       // the longest pause
	maxTries   = 30              // about a day
	keptFor    = 30 * 24 * time.Hour
)

// AskLetter puts a letter into the box, with the job that sends it.
func AskLetter(ctx context.Context, box ports.LetterBox, jobs ports.JobWriter, letter *ports.Letter) error {
	if err := box.Put(ctx, letter); err != nil {
		return err
	}
	return jobs.Enqueue(ctx, ports.Job{
		Kind: LetterJob, Key: fmt.Sprint(letter.ID), CompanyID: letter.CompanyID, Subject: letter.ID, RunAt: letter.CreatedAt,
	})
}

// Links are the addresses that letters point at; the token of a link is put behind them.
type Links struct {
	Invitation string // base of the page that accepts an invitation
	Reset      string // base of the page that sets a new password
}

// LinksAt returns the pages below the address under which the service is known. It comes
// from the configuration: a link built from a request's Host header would send the
// token to whoever wrote the header.
func LinksAt(base string) Links {
	return Links{Invitation: base + InvitationPage, Reset: base + ResetPage}
}

// Paths of the pages that links lead to. The token follows as a fragment, which no
// server and no log ever sees.
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

// Run does one job: it makes the link, sends the letter and drops it. A send that fails
// is tried again later; a crash between sending and dropping sends the letter once more,
// under the same message id.
func (s *LetterSender) Run(ctx context.Context, job ports.Job) error {
	message, ready, err := s.prepare(ctx, job)
	if err != nil || !ready {
		return err
	}
	err = s.Mailer.Send(ctx, message)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return s.done(ctx, job)
	}
	if fault.Is(err, fault.Invalid) || job.Attempt >= maxTries {
		s.Log.ErrorContext(ctx, "a letter was given up", "letter", job.Subject, "attempt", job.Attempt, "error", err)
		return s.done(ctx, job)
	}
	s.Log.WarnContext(ctx, "a letter could not be sent, will be tried again", "letter", job.Subject, "attempt", job.Attempt, "error", err)
	pause := min(lastRetry, firstRetry<<min(job.Attempt, 20))
	return s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Jobs.Postpone(ctx, job, s.Clock.Now().Add(pause))
	})
}

func (s *LetterSender) done(ctx context.Context, job ports.Job) error {
	return s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Letters.Drop(ctx, job.Subject); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	})
}

// prepare makes the link and the text. ready is false where there is nothing to send,
// and the job is then at its end: the invitation is closed, no user has the address.
func (s *LetterSender) prepare(ctx context.Context, job ports.Job) (message ports.Message, ready bool, err error) {
	now, secret := s.Clock.Now(), s.IDs.Secret()
	err = s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		message, ready = ports.Message{}, false
		if err := tx.Tickets.Purge(ctx, now.Add(-keptFor)); err != nil {
			return err
		}
		letter, err := tx.Letters.Get(ctx, job.Subject)
		if fault.Is(err, fault.NotFound) {
			return tx.Jobs.Finish(ctx, job)
		}
		if err != nil {
			return err
		}
		switch letter.Kind {
		case ports.LetterInvitation:
			message, ready, err = s.invitation(ctx, tx, letter, secret, now)
		case ports.LetterReset:
			message, ready, err = s.reset(ctx, tx, letter, secret, now, job.Attempt)
		}
		if err != nil {
			return err
		}
		message.ID, message.At = fmt.Sprintf("%s-%d-%d", letter.Kind, letter.ID, letter.CreatedAt.UnixMicro()), letter.CreatedAt
		if ready {
			return nil
		}
		if err := tx.Letters.Drop(ctx, letter.ID); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	})
	return message, ready, err
}

func (s *LetterSender) invitation(ctx context.Context, tx ports.OperatorRepos, letter ports.Letter, secret string, now time.Time) (ports.Message, bool, error) {
	invitation, err := tx.Invitations.Get(ctx, access.Own(letter.CompanyID), letter.InvitationID)
	if err != nil || !invitation.Open(now) {
		return ports.Message{}, false, err
	}
	err = tx.Tickets.Add(ctx, ports.Ticket{
		Hash: HashSecret(secret), CompanyID: invitation.CompanyID, InvitationID: invitation.ID, CreatedAt: now, ExpiresAt: invitation.ExpiresAt,
	})
	return invitationMessage(invitation, s.Links.Invitation+secret), err == nil, err
}

func (s *LetterSender) reset(ctx context.Context, tx ports.OperatorRepos, letter ports.Letter, secret string, now time.Time, attempt int) (ports.Message, bool, error) {
	user, err := tx.Accounts.UserByEmail(ctx, letter.Email)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		return ports.Message{}, false, nil
	}
	if err != nil {
		return ports.Message{}, false, err
	}
	if last, err := tx.Tickets.LastFor(ctx, user.ID); err != nil || attempt <= 1 && now.Sub(last) < ResetEvery {
		return ports.Message{}, false, err
	}
	err = tx.Tickets.Add(ctx, ports.Ticket{Hash: HashSecret(secret), UserID: user.ID, CreatedAt: now, ExpiresAt: now.Add(ResetTTL)})
	return resetMessage(user, s.Links.Reset+secret), err == nil, err
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
