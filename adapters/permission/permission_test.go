package permission

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/ports"
)

// policies is a store that holds the roles of users and nothing else.
type policies struct {
	ports.Store
	ports.Accounts
	mu      sync.Mutex
	holders map[member][]string // role names
	version int64
	reads   atomic.Int64
	during  func() // called during a read
}

func (p *policies) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, ports.OperatorRepos{Accounts: p})
}

func (p *policies) RolesOf(ctx context.Context, company, user int64) (map[string][]string, int64, error) {
	p.reads.Add(1)
	p.mu.Lock()
	version, out := p.version, map[string][]string{}
	for _, r := range access.DefaultRoles() {
		for _, name := range p.holders[member{company, user}] {
			if r.Name == name {
				out[name] = r.Slugs
			}
		}
	}
	p.mu.Unlock()
	if p.during != nil {
		p.during()
	}
	return out, version, ctx.Err()
}

// change replaces the roles of a user and raises the version, as a commit does.
func (p *policies) change(m member, roles ...string) (version int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version++
	p.holders[m] = roles
	return p.version
}

func caller(company, user, version int64) access.Principal {
	return access.Principal{UserID: user, CompanyID: company, PolicyVersion: version}
}

func may(t *testing.T, c *Casbin, who access.Principal, slug access.Slug) bool {
	t.Helper()
	ok, err := c.Allowed(t.Context(), who, slug)
	require.NoError(t, err)
	return ok
}

func TestRolesAreKeptApartByCompany(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, holders: map[member][]string{
		{1, 10}: {"owner"}, {1, 11}: {"viewer"}, {1, 12}: {"viewer", "editor"}, {2, 20}: {"owner"},
	}}
	c := New(store)
	require.True(t, may(t, c, caller(1, 10, 1), "farm.delete"))
	require.False(t, may(t, c, caller(2, 10, 1), "farm.view"), "an owner of another company")
	require.True(t, may(t, c, caller(1, 11, 1), "farm.view"))
	require.False(t, may(t, c, caller(1, 11, 1), "farm.edit"))
	require.True(t, may(t, c, caller(1, 12, 1), "farm.edit"), "roles add up")
	require.False(t, may(t, c, caller(1, 99, 1), "farm.view"), "a user without a role")
	require.True(t, may(t, c, caller(2, 20, 1), "user.create"))
	require.EqualValues(t, 6, store.reads.Load(), "a user is read once a version")
}

func TestAChangeIsInForceOnTheNextRequest(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}}
	c := New(store)
	require.True(t, may(t, c, caller(1, 10, 1), "farm.edit"))
	require.False(t, may(t, c, caller(1, 10, store.change(member{1, 10}, "viewer")), "farm.edit"))
	require.True(t, may(t, c, caller(1, 10, store.change(member{1, 10}, "editor")), "farm.edit"))
}

// Work in the background has no policy version of its own: a role that was revoked while it waited does not count,
// although this process has met its holder before.
func TestWhoKnowsNoVersionHasTheRolesOfNow(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}}
	c := New(store)
	require.True(t, may(t, c, caller(1, 10, 1), "farm.edit"))
	require.True(t, may(t, c, caller(1, 10, 0), "farm.edit"))
	store.change(member{1, 10}, "viewer")
	require.False(t, may(t, c, caller(1, 10, 0), "farm.edit"))
	reads := store.reads.Load()
	require.False(t, may(t, c, caller(1, 10, 2), "farm.edit"))
	require.Equal(t, reads, store.reads.Load(), "what was read is kept for those who know its version")
}

// A reading that began before a change is not shared with callers that come after it, and its
// result does not replace a newer one.
func TestAReadingFromBeforeAChangeIsNotSharedAfterIt(t *testing.T) {
	t.Parallel()
	begun, hold := make(chan struct{}), make(chan struct{})
	var later atomic.Bool
	store := &policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}}
	store.during = func() {
		if !later.Swap(true) {
			close(begun)
			<-hold
		}
	}
	c := New(store)
	before := make(chan bool, 1)
	go func() {
		ok, _ := c.Allowed(context.Background(), caller(1, 10, 1), "farm.edit")
		before <- ok
	}()
	<-begun
	revoked := store.change(member{1, 10})
	require.False(t, may(t, c, caller(1, 10, revoked), "farm.edit"), "revoked while the old roles were being read")
	close(hold)
	require.True(t, <-before, "the request from before the change")
	require.False(t, may(t, c, caller(1, 10, revoked), "farm.edit"), "what was read before came back later")
}

func TestARequestWithoutTheRolesReadsThemOnceForAll(t *testing.T) {
	t.Parallel()
	const many = 50
	hold := make(chan struct{})
	store := &policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}, during: func() { <-hold }}
	c := New(store)
	var waiting, all sync.WaitGroup
	waiting.Add(many)
	for range many {
		all.Go(func() {
			waiting.Done()
			ok, err := c.Allowed(context.Background(), caller(1, 10, 1), "farm.edit")
			if !ok || err != nil {
				t.Error(ok, err)
			}
		})
	}
	waiting.Wait()
	close(hold)
	all.Wait()
	// A caller that asked after the first reading had ended uses its result.
	require.EqualValues(t, 1, store.reads.Load())
}

// A caller that leaves is answered at once, and does not end the reading for others.
func TestACallerWhoLeavesEndsNothingForOthers(t *testing.T) {
	t.Parallel()
	begun, hold := make(chan struct{}), make(chan struct{})
	store := &policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}, during: func() { close(begun); <-hold }}
	c := New(store)
	ctx, leave := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() {
		_, err := c.Allowed(ctx, caller(1, 10, 1), "farm.edit")
		left <- err
	}()
	<-begun
	stays := make(chan bool, 1)
	go func() {
		ok, _ := c.Allowed(context.Background(), caller(1, 10, 1), "farm.edit")
		stays <- ok
	}()
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	close(hold)
	require.True(t, <-stays)
	require.EqualValues(t, 1, store.reads.Load())
}

func TestAFailedReadingIsTriedAgain(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}, during: func() { panic(errors.New("away")) }}
	c := New(store)
	_, err := c.Allowed(t.Context(), caller(1, 10, 1), "farm.edit")
	require.ErrorContains(t, err, "away", "a panic ends the request, not the program")
	store.during = nil
	require.True(t, may(t, c, caller(1, 10, 1), "farm.edit"))
}

func TestTheLeastRecentlyUsedGoes(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, holders: map[member][]string{}}
	for user := range int64(4) {
		store.holders[member{1, user}] = []string{"viewer"}
	}
	c := newBounded(store, 3, 2)
	for _, step := range []struct {
		user  int64
		reads int64
	}{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {0, 4}, {2, 4}, {3, 4}, {1, 5}, {0, 6}} {
		require.True(t, may(t, c, caller(1, step.user, 1), "farm.view"))
		require.Equal(t, step.reads, store.reads.Load(), "user %d", step.user)
	}
	require.Equal(t, 3, c.users.Len())
	require.Equal(t, 1, c.enforcers.Len(), "users with the same roles share an enforcer")
	store.holders[member{1, 0}], store.holders[member{1, 1}] = []string{"editor"}, []string{"owner"}
	store.version = 2
	require.True(t, may(t, c, caller(1, 0, 2), "farm.edit"))
	require.True(t, may(t, c, caller(1, 1, 2), "user.create"))
	require.Equal(t, 2, c.enforcers.Len())
	require.False(t, may(t, c, caller(1, 2, 2), "farm.edit"))
}

func BenchmarkAllowed(b *testing.B) {
	c := New(&policies{version: 1, holders: map[member][]string{{1, 10}: {"editor"}}})
	for b.Loop() {
		if ok, err := c.Allowed(context.Background(), caller(1, 10, 1), "farm.edit"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
