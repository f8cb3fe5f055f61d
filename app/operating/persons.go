package operating

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tilth/app"
	auditapp "tilth/app/audit"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/fault"
	"tilth/ports"
)

// eraseUser is the action of the trail for the erasure of a person.
const eraseUser audit.Action = "erase"

// eraseRows is the number of trail entries from which one transaction erases values.
const eraseRows = 100

// PersonHeld returns everything that is stored about a person, by e-mail address. Faults: NotFound.
func (o *Operating) PersonHeld(ctx context.Context, email string) (ports.Held, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.Held, error) {
		user, err := tx.Accounts.UserByEmail(ctx, email)
		if err != nil {
			return nil, err
		}
		return tx.Persons.Held(ctx, user)
	})
}

// ErasedPerson describes what an erasure left.
type ErasedPerson struct {
	ID     int64
	Name   string // the pseudonym
	Email  string
	Values int64 // values of the audit trail that were erased
}

// ErasePerson erases a person: the account keeps its id, under a pseudonym, so that records, ledger
// and audit trail stay whole; everything else about it goes. If it is interrupted, it is run again.
// Faults: NotFound; Conflict (last_owner, operator_account).
func (o *Operating) ErasePerson(ctx context.Context, email string) (out ErasedPerson, err error) {
	user, err := app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		user, err := tx.Accounts.UserByEmail(ctx, email)
		if err != nil {
			return user, err
		}
		return user, mayErase(ctx, tx, user)
	})
	if err != nil {
		return out, err
	}
	out = ErasedPerson{ID: user.ID, Name: fmt.Sprintf("Erased user %d", user.ID), Email: fmt.Sprintf("erased-%d@erased.invalid", user.ID)}
	// The trail comes first: until it is done, the address leads back to the user.
	if out.Values, err = o.eraseEntries(ctx, user); err != nil {
		return out, err
	}
	if err := o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return o.eraseAccount(ctx, tx, user, out) }); err != nil {
		return out, err
	}
	n, err := o.eraseEntries(ctx, user) // covers what was written meanwhile
	out.Values += n
	return out, err
}

// mayErase refuses to erase operators, and the last owner of a company.
func mayErase(ctx context.Context, tx ports.OperatorRepos, user ports.User) error {
	if user.CompanyID == 0 {
		return fault.New(fault.Conflict, "operator_account",
			"The installation's own trail names operators by e-mail address, so they cannot be erased. Fix: `tilth user disable`.")
	}
	scope := access.Own(user.CompanyID)
	member, err := tx.Members.Get(ctx, scope, user.ID)
	if err != nil || user.Disabled || !slices.Contains(member.Roles, access.RoleOwner) {
		return err
	}
	owners, err := tx.Members.Owners(ctx, scope)
	if err == nil && owners < 2 {
		err = fault.Newf(fault.Conflict, "last_owner",
			"%s is the last owner of company %d. Fix: make another user an owner first, `tilth user create --role owner` or the role in its account.", user.Email, user.CompanyID)
	}
	return err
}

func (o *Operating) eraseAccount(ctx context.Context, tx ports.OperatorRepos, user ports.User, out ErasedPerson) error {
	scope, now := access.Own(user.CompanyID), o.Clock.Now()
	if err := tx.Members.Lock(ctx, scope); err != nil {
		return err
	}
	if err := mayErase(ctx, tx, user); err != nil {
		return err
	}
	if err := tx.Persons.Erase(ctx, user, out.Name, out.Email, now); err != nil {
		return err
	}
	if err := tx.Members.Changed(ctx, scope); err != nil {
		return err
	}
	return tx.Audit.Add(ctx, o.entry(user.CompanyID, now).Of(eraseUser, "user", user.ID, nil))
}

// eraseEntries erases what names a user in the trail of its company, and returns the number of values.
func (o *Operating) eraseEntries(ctx context.Context, user ports.User) (total int64, err error) {
	if _, err := (&auditapp.Sequencer{Store: o.Store, Clock: o.Clock, IDs: o.IDs}).Run(ctx); err != nil {
		return 0, err
	}
	ids, err := app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]int64, error) {
		return tx.Persons.Entries(ctx, user)
	})
	if err != nil {
		return 0, err
	}
	id, naming := chain.ID{Name: chain.Audit, CompanyID: user.CompanyID}, namingOf(user)
	for piece := range slices.Chunk(ids, eraseRows) {
		n, err := app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			if err := tx.Chains.Lock(ctx); err != nil {
				return 0, err
			}
			return tx.Chains.EraseValues(ctx, id, piece, naming.in, o.Clock.Now())
		})
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// naming holds what identifies a user: its id, and its name and address as JSON.
type naming struct{ id, name, email string }

func namingOf(user ports.User) naming {
	quoted := func(text string) string {
		raw, _ := json.Marshal(text) // a string always marshals
		return string(raw)
	}
	return naming{fmt.Sprint(user.ID), quoted(user.Name), quoted(user.Email)}
}

// in returns which values of an entry are erased: in an entry about the user, or about an invitation of its address, every name
// and address; in any entry, those that contain its address; and in the user's own entries, those that contain its name.
func (n naming) in(row chain.Row) func(f chain.Field) bool {
	values := map[string]string{}
	mentioned := false
	for _, f := range row.Fields {
		if f.Value != nil {
			values[f.Name] = *f.Value
			mentioned = mentioned || f.Guarded && *f.Value == n.email
		}
	}
	about := values["resource"] == access.Users.Name && values["record_id"] == n.id || values["resource"] == "invitation" && mentioned
	own := values["user_id"] == n.id
	return func(f chain.Field) bool {
		member := values[f.Name[:strings.LastIndex(f.Name, ".")+1]+"member"]
		switch {
		case about && (member == "name" || member == "email"):
			return true
		case strings.Contains(*f.Value, n.email):
			return true
		}
		return own && strings.Contains(*f.Value, n.name)
	}
}
