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

// attemptKeys give the counters of an account and of an address. They hold hashes: a
// mistyped e-mail address is no business of who reads the table, and often a password.
func attemptKeys(email string, client netip.Addr) []string {
	out := []string{accountKey(email)}
	if client.IsValid() {
		out = append(out, HashSecret("address:"+neighbourhood(client)))
	}
	return out
}

func accountKey(email string) string {
	return HashSecret("account:" + strings.ToLower(strings.TrimSpace(email)))
}

// neighbourhood returns what wrong passwords from an address are counted for: the address,
// of IPv6 the network of one customer (/64), in which addresses cost nothing.
func neighbourhood(client netip.Addr) string {
	client = client.Unmap().WithZone("")
	if client.Is6() {
		if p, err := client.Prefix(64); err == nil {
			return p.String()
		}
	}
	return client.String()
}

// prove returns the user that find finds where the password is theirs; a wrong one is counted and refused.
func (i *Identity) prove(ctx context.Context, keys []string, password string, refusal error,
	find func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error),
) (ports.User, error) {
	user, err := app.In(ctx, i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		if _, err := i.mayTry(ctx, tx, keys); err != nil {
			return ports.User{}, err
		}
		return find(ctx, tx)
	})
	if err != nil {
		return user, err
	}
	ok, err := i.Passwords.Check(password, user.PasswordHash)
	if err == nil && (!ok || user.ID == 0) {
		err = i.failed(ctx, keys, refusal)
	}
	return user, err
}

// mayTry refuses (Limit, too_many_attempts) a try that comes too early. It is asked before a password is
// checked, to save the work, and again when the outcome is stored: of many tries at once only the first few
// learn it.
func (i *Identity) mayTry(ctx context.Context, tx ports.OperatorRepos, keys []string) ([]access.Attempts, error) {
	counters, err := tx.Attempts.Get(ctx, keys...)
	if err != nil {
		return nil, err
	}
	return counters, tooMany(counters, i.Clock.Now())
}

func tooMany(counters []access.Attempts, now time.Time) error {
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

// failed counts a wrong password and gives the refusal to answer with.
func (i *Identity) failed(ctx context.Context, keys []string, refusal error) error {
	now := i.Clock.Now()
	err := i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Attempts.Purge(ctx, now.Add(-access.AttemptMemory)); err != nil {
			return err
		}
		counters, err := tx.Attempts.Lock(ctx, now, keys...)
		if err != nil {
			return err
		}
		if err := tooMany(counters, now); err != nil {
			return err
		}
		for _, c := range counters {
			if err := tx.Attempts.Put(ctx, c.Failed(now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return refusal
}

// succeeded forgets the wrong passwords of an account, but not those from the address:
// who has one account of their own could otherwise try the passwords of others for ever.
func (i *Identity) succeeded(ctx context.Context, tx ports.OperatorRepos, keys []string) error {
	counters, err := i.mayTry(ctx, tx, keys)
	if err != nil {
		return err
	}
	if counters[0].Failures == 0 {
		return nil
	}
	return tx.Attempts.Clear(ctx, keys[0])
}
