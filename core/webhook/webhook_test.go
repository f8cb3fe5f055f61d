package webhook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/event"
	"tilth/core/webhook"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// The schedule as it is documented, without jitter.
func TestSchedule(t *testing.T) {
	t.Parallel()
	at := noon
	var got []string
	for tries := 1; ; tries++ {
		next, again := webhook.NextTry(tries, noon, at, 0, 0)
		if !again {
			require.Equal(t, webhook.MaxTries, tries)
			break
		}
		got = append(got, next.Sub(at).String())
		at = next
	}
	require.Equal(t, strings.Fields("5s 30s 2m0s 10m0s 30m0s 1h0m0s 2h0m0s 4h0m0s 8h0m0s 8h0m0s"), got)
	require.Equal(t, "23h42m35s", at.Sub(noon).String())
}

// Whatever chance, the length of the tries and the other side do: every try comes after
// the one before, none after 24 hours, and a pause is never shorter than nine tenths of
// the schedule's nor than the wait that was asked for.
func TestScheduleHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := webhook.Delivery{State: webhook.Pending, NextTry: &noon}
		now, upper := noon, time.Duration(0)
		for d.State == webhook.Pending {
			now = d.NextTry.Add(time.Duration(rapid.IntRange(0, 10_000).Draw(t, "took ms")) * time.Millisecond)
			asked := time.Duration(rapid.IntRange(0, 200).Draw(t, "asked min")) * time.Minute
			code := rapid.SampledFrom([]int{0, 301, 404, 429, 500, 503}).Draw(t, "code")
			d.Tried(webhook.Outcome{StatusCode: code, RetryAfter: asked}, now, rapid.Float64Range(0, 0.999).Draw(t, "jitter"))
			if d.State != webhook.Pending {
				break
			}
			pause := d.NextTry.Sub(now)
			if code == 429 || code == 503 {
				require.GreaterOrEqual(t, pause, min(asked, time.Hour))
			}
			require.Greater(t, pause, time.Duration(0))
			require.False(t, d.NextTry.After(d.Began.Add(webhook.RoundLasts)))
			upper = max(upper, pause)
		}
		require.Equal(t, webhook.Failed, d.State)
		require.Nil(t, d.NextTry)
		require.LessOrEqual(t, d.Attempt, webhook.MaxTries)
		require.LessOrEqual(t, upper, 8*time.Hour)
		before := d.Attempt
		d.Again(now)
		require.Equal(t, webhook.Pending, d.State)
		d.Tried(webhook.Outcome{StatusCode: 204}, now, 0)
		require.Equal(t, webhook.Delivered, d.State)
		require.Equal(t, before+1, d.Attempt)
		require.Empty(t, d.Error)
	})
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome webhook.Outcome
		state   webhook.State
		problem string
	}{
		"ok":        {webhook.Outcome{StatusCode: 200}, webhook.Delivered, ""},
		"accepted":  {webhook.Outcome{StatusCode: 299}, webhook.Delivered, ""},
		"redirect":  {webhook.Outcome{StatusCode: 308}, webhook.Pending, "The address answered 308; redirects are not followed."},
		"gone":      {webhook.Outcome{StatusCode: 410}, webhook.Failed, "The address answered 410."},
		"error":     {webhook.Outcome{StatusCode: 500}, webhook.Pending, "The address answered 500."},
		"no answer": {webhook.Outcome{Error: "away"}, webhook.Pending, "away"},
	} {
		d := webhook.Delivery{State: webhook.Pending}
		d.Tried(c.outcome, noon, 0.5)
		require.Equal(t, c.state, d.State, name)
		require.Equal(t, c.problem, d.Error, name)
		require.Equal(t, c.state == webhook.Pending, d.NextTry != nil, name)
		test := webhook.Delivery{Test: true}
		test.Tried(c.outcome, noon, 0)
		require.NotEqual(t, webhook.Pending, test.State, "a test is sent once")
	}
}

func TestWebhookIsGivenUp(t *testing.T) {
	t.Parallel()
	bad, good := webhook.Outcome{StatusCode: 500}, webhook.Outcome{StatusCode: 200}
	w := webhook.Webhook{IsActive: true}
	var pauses []time.Duration
	for range 9 {
		w.Tried(bad, noon)
		pauses = append(pauses, w.SendAt(noon).Sub(noon))
	}
	require.Equal(t, []time.Duration{5e9, 10e9, 20e9, 40e9, 80e9, 160e9, 300e9, 300e9, 300e9}, pauses)
	w.Tried(bad, noon.Add(webhook.GivenUpAfter-time.Second))
	require.True(t, w.IsActive)
	w.Tried(good, noon.Add(webhook.GivenUpAfter))
	w.Tried(bad, noon.Add(webhook.GivenUpAfter+time.Second))
	require.True(t, w.IsActive, "a success begins the days anew")
	w.Tried(bad, noon.Add(2*webhook.GivenUpAfter+time.Second))
	require.False(t, w.IsActive)
	require.Contains(t, w.DisabledReason, "since 2026-05-06T12:00:01Z")
	require.Contains(t, w.DisabledReason, "The address answered 500.")

	w.IsActive = true
	w.Switched(false)
	require.Equal(t, webhook.Webhook{IsActive: true, Last: w.Last}, w)
	w.Tried(webhook.Outcome{StatusCode: 410}, noon)
	require.False(t, w.IsActive)
	require.Equal(t, "The address answered 410 Gone.", w.DisabledReason)

	asked := webhook.Webhook{IsActive: true}
	asked.Tried(webhook.Outcome{StatusCode: 429, RetryAfter: 48 * time.Hour}, noon)
	require.Equal(t, noon.Add(time.Hour), asked.SendAt(noon), "an hour at most")
	asked = webhook.Webhook{IsActive: true}
	asked.Tried(webhook.Outcome{StatusCode: 400, RetryAfter: 48 * time.Hour}, noon)
	require.Equal(t, noon.Add(5*time.Second), asked.SendAt(noon), "of other answers it means nothing")
}

func TestSecretsOverlap(t *testing.T) {
	t.Parallel()
	w := webhook.Webhook{Secret: "a"}
	require.Equal(t, []string{"a"}, w.Secrets(noon))
	w.Rotate("b", noon)
	require.Equal(t, []string{"b", "a"}, w.Secrets(noon.Add(webhook.OldSecretFor-1)))
	require.Equal(t, []string{"b"}, w.Secrets(noon.Add(webhook.OldSecretFor)))
}

func TestCheckAndWants(t *testing.T) {
	t.Parallel()
	good := webhook.Webhook{URL: "https://x.example", EventTypes: []string{event.TypeProfileCompleted, event.TypeProfileCompleted}, IsActive: true}
	require.Empty(t, good.Check())
	require.Equal(t, []string{event.TypeProfileCompleted}, good.EventTypes)
	require.True(t, good.Wants(event.TypeProfileCompleted))
	require.False(t, good.Wants("another"))
	every := webhook.Webhook{IsActive: true}
	require.True(t, every.Wants("another"))
	every.IsActive = false
	require.False(t, every.Wants("another"))
	bad := webhook.Webhook{Description: strings.Repeat("é", 1001) + "\x00", EventTypes: []string{"nothing"}}
	f := bad.Check()
	require.Contains(t, f, "url")
	require.Len(t, f["description"], 2)
	require.Contains(t, f["event_types"].([]string)[0], event.TypeProfileCompleted)
}
