// Package permission implements ports.Permissions with casbin: role-based access with a domain for
// each company. It caches the roles of each user, and reads them from the store when the caller's
// version of its company's policy is newer than the cached one, so that a change takes effect on
// the next request, on every replica. Callers with the same roles share an enforcer.
//
// Casbin provides the model with its definitions, the policies, the role manager, which knows who holds a
// role where, and the effector, which decides from what matched. The matcher is a function of this package in
// place of casbin's Enforcer. The Enforcer's evaluator of expressions calls methods by name and is linked
// wherever it is imported; the linker then keeps every method of the program, 12 MB of it. A decision by it
// also takes 0.2 ms. So go.mod replaces the evaluator with the folder govaluate. tests/casbin, a module of
// its own, compares all decisions with those of casbin's Enforcer.
package permission

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"tilth/core/access"
	"tilth/ports"
)

// Bounds of the caches. Beyond them the least recently used entry is dropped. A user takes about
// 300 bytes, an enforcer about 4 kB (BenchmarkEnforcer).
const (
	maxUsers     = 65_536
	maxEnforcers = 1_024
)

// Casbin implements ports.Permissions.
type Casbin struct {
	store     ports.Store
	users     *lru.Cache[member, held]
	enforcers *lru.Cache[string, *enforcer] // by the roles that they decide from: changed roles make another enforcer
	reads     singleflight.Group
}

// member is a user in a company.
type member struct{ company, user int64 }

// held is what a member may do at a version of its company's policy.
type held struct {
	version int64
	*enforcer
}

// New returns a Casbin over the policies of a store.
func New(store ports.Store) *Casbin { return newBounded(store, maxUsers, maxEnforcers) }

func newBounded(store ports.Store, users, enforcers int) *Casbin {
	c := &Casbin{store: store}
	var err error
	if c.users, err = lru.New[member, held](users); err == nil {
		c.enforcers, err = lru.New[string, *enforcer](enforcers)
	}
	if err != nil {
		panic(err) // a bound that is not positive
	}
	return c
}

// Allowed reports whether a caller has a permission in its company.
func (c *Casbin) Allowed(ctx context.Context, who access.Principal, slug access.Slug) (bool, error) {
	has, err := c.heldBy(ctx, who)
	if err != nil {
		return false, err
	}
	return has.allows(slug)
}

// heldBy returns what a caller may do, no older than the caller's policy version; for a caller without a version, what it may do
// now. Callers that need the same at the same time share one reading, which began after their version was in force. A caller that
// leaves does not end it for the others.
func (c *Casbin) heldBy(ctx context.Context, who access.Principal) (held, error) {
	m := member{who.CompanyID, who.UserID}
	if who.PolicyVersion == 0 {
		return c.read(ctx, m)
	}
	if have, ok := c.users.Get(m); ok && have.version >= who.PolicyVersion {
		return have, nil
	}
	shared := c.reads.DoChan(fmt.Sprint(m.company, m.user, who.PolicyVersion), func() (any, error) {
		if have, ok := c.users.Peek(m); ok && have.version >= who.PolicyVersion {
			return have, nil // cached since the check above
		}
		return c.read(context.WithoutCancel(ctx), m)
	})
	select {
	case r := <-shared:
		if r.Err != nil {
			return held{}, r.Err
		}
		return r.Val.(held), nil
	case <-ctx.Done():
		return held{}, ctx.Err()
	}
}

// read reads the roles of a member and caches them, unless newer ones were cached meanwhile. It
// runs beside the request, where a panic would end the program, so it recovers from one.
func (c *Casbin) read(ctx context.Context, m member) (fresh held, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read the roles of a user: panic: %v", v)
		}
	}()
	var patterns map[string][]string
	err = c.store.Consult(ports.Loosely(ctx), func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		patterns, fresh.version, err = tx.Accounts.RolesOf(ctx, m.company, m.user)
		return err
	})
	if err != nil {
		return held{}, err
	}
	if fresh.enforcer, err = c.enforcerOf(m.company, patterns); err != nil {
		return held{}, err
	}
	if have, ok := c.users.Peek(m); !ok || have.version <= fresh.version {
		c.users.Add(m, fresh)
	}
	return fresh, nil
}

// enforcerOf returns the enforcer of roles with their slug patterns.
func (c *Casbin) enforcerOf(company int64, patterns map[string][]string) (*enforcer, error) {
	domain := "company:" + strconv.FormatInt(company, 10)
	var key strings.Builder
	key.WriteString(domain)
	for _, role := range slices.Sorted(maps.Keys(patterns)) {
		fmt.Fprintf(&key, "|%q%q", role, patterns[role])
	}
	if have, ok := c.enforcers.Get(key.String()); ok {
		return have, nil
	}
	made, err := newEnforcer(domain, patterns)
	if err != nil {
		return nil, err
	}
	c.enforcers.Add(key.String(), made)
	return made, nil
}
