package account

import (
	"context"
	"math"
	"net/netip"
	"strings"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// try is one attempt to prove a password: for which account, and from where. Its counters are kept under hashes: a
// mistyped e-mail address is no business of a reader of the table, and is often a password.
type try struct{ email, pair, account, address string }

func tryOf(email string, client netip.Addr) try {
	email, place := strings.ToLower(strings.TrimSpace(email)), Neighbourhood(client)
	t := try{email: email, pair: HashSecret("pair:" + place + " " + email), account: HashSecret("account:" + email)}
	if client.IsValid() { // a unix socket has no address
		t.address = HashSecret("address:" + place)
	}
	return t
}

// counters returns the keys of a try's counters, in the order in which they are read.
func (t try) counters() []string {
	out := []string{t.pair, t.account}
	if t.address != "" {
		out = append(out, t.address)
	}
	return out
}

// Neighbourhood returns the unit that an address's requests are counted under: the address itself
// or, for IPv6, the network of one customer (/64), within which addresses cost nothing.
func Neighbourhood(client netip.Addr) string {
	client = client.Unmap().WithZone("")
	if client.Is6() {
		if p, err := client.Prefix(64); err == nil {
			return p.String()
		}
	}
	return client.String()
}

// prove returns the user that find finds if the password is theirs; a wrong password is counted and refused.
func (i *Identity) prove(ctx context.Context, t try, password string, refusal error,
	find func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error),
) (ports.User, error) {
	user, err := app.In(ctx, i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		counters, err := tx.Attempts.Get(ctx, t.counters()...)
		if err == nil {
			err = i.mayTry(ctx, tx, t, counters)
		}
		if err != nil {
			return ports.User{}, err
		}
		return find(ctx, tx)
	})
	if err != nil {
		return user, err
	}
	ok, err := i.Passwords.Check(ctx, password, user.PasswordHash)
	if err == nil && (!ok || user.ID == 0) {
		err = i.failed(ctx, t, refusal)
	}
	return user, err
}

// mayTry refuses (Limit, too_many_attempts) a try that comes too early. It is checked before the password is, to
// save the work, and again when the outcome is stored: of many simultaneous tries only the first few learn it.
// From an address that the account is known at, a try waits only for the failures from there for that account.
func (i *Identity) mayTry(ctx context.Context, tx ports.OperatorRepos, t try, counters []access.Attempts) error {
	now := i.Clock.Now()
	known, err := tx.Attempts.Known(ctx, t.pair, now.Add(-access.PlaceMemory))
	if err != nil {
		return err
	}
	if known {
		counters = counters[:1]
	}
	var wait time.Duration
	for _, c := range counters {
		wait = max(wait, c.Wait(now))
	}
	if wait == 0 {
		return nil
	}
	return fault.New(fault.Limit, "too_many_attempts", "Too many wrong passwords; wait a little before the next try.").
		With("retry_after", int(math.Ceil(wait.Seconds())))
}

// failed counts a wrong password and returns the refusal to answer with. The owner is notified once
// per burst; whether there is an owner is looked up when the letter is sent.
func (i *Identity) failed(ctx context.Context, t try, refusal error) error {
	now := i.Clock.Now()
	err := i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Attempts.Purge(ctx, now.Add(-access.AttemptMemory)); err != nil {
			return err
		}
		counters, err := tx.Attempts.Lock(ctx, now, t.counters()...)
		if err != nil {
			return err
		}
		if err := i.mayTry(ctx, tx, t, counters); err != nil {
			return err
		}
		free := []int{access.FreeAttempts, access.FreeStrangers, access.FreeAttempts}
		for n, c := range counters {
			counters[n] = c.Failed(now, free[n])
			if err := tx.Attempts.Put(ctx, counters[n]); err != nil {
				return err
			}
		}
		if counters[1].Failures != access.FreeAttempts {
			return nil
		}
		letter := ports.Letter{Kind: ports.LetterGuesses, Email: t.email, CreatedAt: now}
		return AskLetter(ctx, tx.Letters, tx.Jobs, &letter)
	})
	if err != nil {
		return err
	}
	return refusal
}

// succeeded marks the address as known for the account and forgets its failures for that account,
// but not those for others: someone with an account of their own could otherwise try the passwords
// of others for ever.
func (i *Identity) succeeded(ctx context.Context, tx ports.OperatorRepos, t try) error {
	counters, err := tx.Attempts.Get(ctx, t.counters()...)
	if err == nil {
		err = i.mayTry(ctx, tx, t, counters)
	}
	if err != nil {
		return err
	}
	if counters[0].Failures > 0 {
		if err := tx.Attempts.Clear(ctx, t.pair); err != nil {
			return err
		}
	}
	return i.know(ctx, tx, t)
}

// know marks an address as known for an account.
func (i *Identity) know(ctx context.Context, tx ports.OperatorRepos, t try) error {
	now := i.Clock.Now()
	return tx.Attempts.Know(ctx, t.pair, now, now.Add(-access.PlaceMemory))
}
