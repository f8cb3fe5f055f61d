package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/tests/mailbox"
	"tilth/tests/rig"
)

// withPassword makes a company with an owner who has a password.
func withPassword(t *testing.T, s *rig.Server) *rig.Client {
	t.Helper()
	owner := s.Company("owner", 0)
	email := "p-" + owner.Email
	_, err := s.Operating.CreateUser(context.Background(), operating.NewUser{CompanyID: owner.CompanyID, Email: email, Role: "owner", Password: goodPassword})
	require.NoError(t, err)
	token, err := s.Operating.CreateToken(context.Background(), email, time.Hour)
	require.NoError(t, err)
	c := rig.Remote(t, s.URL, token)
	c.Email, c.CompanyID = email, owner.CompanyID
	return c
}

func credentials(email, password string) map[string]any {
	return map[string]any{"email": email, "password": password}
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, anonymous := withPassword(t, s), s.Anonymous()
		refresh := anonymous.Expect(200, "POST", "auth/token/", credentials(owner.Email, goodPassword)).Data(t)["refresh"]
		const change, next = "auth/password/change/", "another walk along it"
		anonymous.Expect(401, "POST", change, map[string]any{"current": goodPassword, "new": next})
		refused(t, owner, 400, "password_wrong", "POST", change, map[string]any{"current": "wrong", "new": next})
		for _, bad := range []string{"short", strings.ToUpper(owner.Email), "password123", "aaaaaaaaaaaa", strings.Repeat("é", 1025)} {
			refused(t, owner, 400, "validation_failed", "POST", change, map[string]any{"current": goodPassword, "new": bad})
		}
		anonymous.Expect(200, "POST", "auth/token/", credentials(owner.Email, goodPassword))
		owner.Expect(204, "POST", change, map[string]any{"current": goodPassword, "new": next})
		refused(t, anonymous, 401, "refresh_invalid", "POST", "auth/token/refresh/", map[string]any{"refresh": refresh})
		refused(t, anonymous, 401, "invalid_credentials", "POST", "auth/token/", credentials(owner.Email, goodPassword))
		anonymous.Expect(200, "POST", "auth/token/", credentials(owner.Email, next))
	})
}

var linkPattern = regexp.MustCompile(`https://tilth\.example\.org/account/(invitation|password)/#(\S+)`)

// linkOf returns the token of the link in an e-mail.
func linkOf(t *testing.T, letter mailbox.Letter, page string) string {
	t.Helper()
	found := linkPattern.FindStringSubmatch(letter.Text)
	require.NotNil(t, found, letter.Text)
	require.Equal(t, page, found[1])
	return found[2]
}

func withMail(post *mailbox.Server) func(*cli.Config) {
	return func(c *cli.Config) {
		c.PublicURL, c.SMTPURL, c.MailFrom = "https://tilth.example.org/", "smtp://"+post.Address, "tilth@example.org"
	}
}

func TestPasswordReset(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		post := mailbox.Start(t, mailbox.Options{})
		s := rig.Start(t, rig.Options{Database: database, Config: withMail(post)})
		owner, disabled, anonymous := withPassword(t, s), withPassword(t, s), s.Anonymous()
		s.Disable(disabled.Email)
		const ask, confirm, next = "auth/password/reset/", "auth/password/reset/confirm/", "another walk along it"
		// Only one of these can be written to; the responses do not reveal which.
		for _, email := range []string{"nobody@x.example", disabled.Email, strings.ToUpper(owner.Email)} {
			a := anonymous.Expect(204, "POST", ask, map[string]any{"email": email})
			require.Empty(t, a.Body)
		}
		refused(t, anonymous, 400, "validation_failed", "POST", ask, `{"email":"no address"}`)
		letter := post.Next()
		require.Equal(t, owner.Email, letter.To)
		token := linkOf(t, letter, "password")
		refresh := anonymous.Expect(200, "POST", "auth/token/", credentials(owner.Email, goodPassword)).Data(t)["refresh"]

		refused(t, anonymous, 400, "link_invalid", "POST", confirm, map[string]any{"token": token + "x", "password": next})
		refused(t, anonymous, 400, "validation_failed", "POST", confirm, map[string]any{"token": token, "password": owner.Email})
		refused(t, anonymous, 400, "link_invalid", "POST", "auth/invitation/accept/", map[string]any{"token": token, "password": next})
		anonymous.Expect(204, "POST", confirm, map[string]any{"token": token, "password": next})
		refused(t, anonymous, 400, "link_invalid", "POST", confirm, map[string]any{"token": token, "password": next})
		refused(t, anonymous, 401, "refresh_invalid", "POST", "auth/token/refresh/", map[string]any{"refresh": refresh})
		refused(t, anonymous, 401, "invalid_credentials", "POST", "auth/token/", credentials(owner.Email, goodPassword))
		anonymous.Expect(200, "POST", "auth/token/", credentials(owner.Email, next))

		// Another e-mail to the same user within the minute is not sent; one to another
		// user is, and comes after it.
		second := withPassword(t, s)
		anonymous.Expect(204, "POST", ask, map[string]any{"email": owner.Email})
		anonymous.Expect(204, "POST", ask, map[string]any{"email": second.Email})
		require.Equal(t, second.Email, post.Next().To)
	})
}

// An invitation is mailed, with a link of its own.
func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		post := mailbox.Start(t, mailbox.Options{})
		s := rig.Start(t, rig.Options{Database: database, Config: withMail(post)})
		owner, anonymous := s.Company("owner", 0), s.Anonymous()
		made := owner.Expect(200, "POST", "invitation/", `{"email":"ann@x.example","roles":["viewer"]}`).Data(t)
		letter := post.Next()
		require.Equal(t, "ann@x.example", letter.To)
		require.Contains(t, letter.Subject, "Invitation to Company")
		token := linkOf(t, letter, "invitation")
		require.NotEqual(t, made["token"], token, "the letter's link is made when it is sent, and never stored")
		anonymous.Expect(200, "POST", "auth/invitation/accept/", map[string]any{"token": token, "password": goodPassword})
		refused(t, anonymous, 400, "link_invalid", "POST", "auth/invitation/accept/", map[string]any{"token": made["token"], "password": goodPassword})
		require.Zero(t, post.Waiting())
	})
}

// from posts as a client of an address, through a trusted proxy.
func from(t *testing.T, s *rig.Server, address, path string, body any) rig.Answer {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(context.Background(), "POST", s.URL+"/api/v1.2/"+path, bytes.NewReader(raw))
	require.NoError(t, err)
	req.Header.Set("X-Forwarded-For", address)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var out bytes.Buffer
	_, err = out.ReadFrom(res.Body)
	require.NoError(t, err)
	return rig.Answer{Status: res.StatusCode, Header: res.Header, Body: out.Bytes()}
}

func proxied(c *cli.Config) { c.TrustedProxies = "127.0.0.1" }

// tooEarlyRounds ends with a wait of a minute.
const tooEarlyRounds = 7

// tooEarly tries wrong passwords, judged of which are checked, until one comes too early, and then the
// right one, which comes too early as well: its refusal is returned. The first wait is a second. A
// machine that takes longer between two tries lets the right password in; then another account is tried
// after a wait that is twice as long. right is the right password of an account from a place where the
// account is not known, a different account in each round: the right password makes the place known.
func tooEarly(t *testing.T, judged int, wrong func() rig.Answer, right func(round int) rig.Answer) rig.Answer {
	t.Helper()
	for round := range tooEarlyRounds {
		n := 0
		for wait, before := 0, time.Now(); wait < 1<<round; {
			began := time.Now()
			a := wrong()
			if a.Status == http.StatusUnauthorized {
				if n++; n > access.FreeStrangers {
					require.GreaterOrEqual(t, time.Since(before), time.Second, "nobody is slowed down")
				}
				before = began
				continue
			}
			require.Equal(t, http.StatusTooManyRequests, a.Status)
			var err error
			wait, err = strconv.Atoi(a.Header.Get("Retry-After"))
			require.NoError(t, err)
			if wait < 1<<round {
				time.Sleep(time.Duration(wait) * time.Second)
			}
		}
		if round == 0 {
			require.GreaterOrEqual(t, n, judged)
		}
		if a := right(round); a.Status == http.StatusTooManyRequests {
			return a
		}
	}
	t.Fatal("the right password is never too early")
	return rig.Answer{}
}

func TestWrongPasswordsOfStrangersDoNotLockAnAccount(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		post := mailbox.Start(t, mailbox.Options{})
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { proxied(c); withMail(post)(c) }})
		owner, other := withPassword(t, s), withPassword(t, s)
		const home = "198.51.100.1"
		signIn := func(address, email string) int {
			return from(t, s, address, "auth/token/", credentials(email, goodPassword)).Status
		}
		require.Equal(t, 200, signIn(home, owner.Email))
		// Whether the account exists makes no difference to a stranger.
		for n, email := range []string{owner.Email, "nobody@x.example"} {
			tries := 0
			a := tooEarly(t, access.FreeStrangers, func() rig.Answer { // every try from another address
				tries++
				return from(t, s, fmt.Sprintf("203.0.%d.%d", n, tries), "auth/token/", credentials(email, "wrong"))
			}, func(round int) rig.Answer {
				return from(t, s, fmt.Sprintf("198.51.100.%d", 2+round), "auth/token/", credentials(strings.ToUpper(email), goodPassword))
			})
			require.Equal(t, "too_many_attempts", a.Map(t)["code"])
			wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
			require.NoError(t, err)
			require.Positive(t, wait)
		}
		require.Equal(t, 200, signIn(home, owner.Email), "the owner signs in where they did before")
		require.Equal(t, 200, signIn("198.51.100.2", other.Email), "others are not slowed")
		letter := post.Next()
		require.Equal(t, owner.Email, letter.To)
		require.Contains(t, letter.Text, "not locked")
		require.Zero(t, post.Waiting(), "one letter in a burst, and none to nobody")
		// The right password clears the wrong tries of its address.
		require.Equal(t, 401, from(t, s, home, "auth/token/", credentials(owner.Email, "wrong")).Status)
		require.Equal(t, 200, signIn(home, owner.Email))
	})
}

func TestWrongPasswordsSlowAnAddressDown(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: proxied})
		replica := rig.Start(t, rig.Options{Database: database, Config: proxied})
		var owners []*rig.Client
		for range tooEarlyRounds {
			owners = append(owners, withPassword(t, s))
		}
		tries := 0
		tooEarly(t, 5, func() rig.Answer {
			tries++
			address := fmt.Sprintf("2001:db8:1:2::%d", tries) // one customer's network
			return from(t, s, address, "auth/token/", credentials(fmt.Sprintf("a%d@x.example", tries), "wrong"))
		}, func(round int) rig.Answer {
			return from(t, replica, "2001:db8:1:2:ffff::1", "auth/token/", credentials(owners[round].Email, goodPassword))
		})
		require.Equal(t, 200, from(t, replica, "2001:db8:1:3::1", "auth/token/", credentials(owners[0].Email, goodPassword)).Status)
	})
}

// Of many wrong passwords at once, no more are checked than if they came one after another.
func TestAFloodOfPasswordsLearnsLittle(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: proxied})
		owner := withPassword(t, s)
		const n = 12
		statuses := make(chan int, n)
		began := time.Now()
		for range n {
			go func() {
				statuses <- from(t, s, "203.0.113.9", "auth/token/", credentials(owner.Email, "wrong")).Status
			}()
		}
		got := map[int]int{}
		for range n {
			got[<-statuses]++
		}
		// The wait after the fifth is a second, and each later one twice as long: a flood that
		// takes as long as some of these waits has as many more passwords checked.
		most := 6
		for wait := time.Second; wait <= time.Since(began); wait *= 2 {
			most++
		}
		require.LessOrEqual(t, got[401], most, "%v", got)
		require.Equal(t, n, got[401]+got[429], "%v", got)
	})
}
