package satellite_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/batch"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"

	"tilth/ports"
)

// Each order of a batch is judged by itself: a refused one does not affect the others, and writes nothing.
func TestManyOrdersArePlacedAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Credit(1, s.price)
	second := s.field
	second.ID, second.UUID = 0, "south"
	s.put(func(tx ports.Repos) error { return tx.Fields.Insert(t.Context(), s.scope(), []*farm.Field{&second}) })
	open, poor, nowhere, never, odd := s.request(s.first), s.request(s.first), s.request(s.first), s.request(s.first), s.request(s.second)
	poor.FieldUUID, nowhere.FieldUUID, never.SeasonID, odd.Index = second.UUID, "nowhere", 99, "XYZ"
	ask := []satellite.ProfileRequest{nowhere, open, open, s.request(s.second), poor, never, odd}
	placed, err := s.profiles.PlaceMany(t.Context(), s.owner, ask, false)
	require.NoError(t, err)
	var verdicts, codes []string
	for _, p := range placed {
		verdicts, codes = append(verdicts, string(p.Verdict)), append(codes, p.Code)
		require.Equal(t, p.Verdict == batch.Fail, p.OrderID == 0)
	}
	require.Equal(t, []string{"fail", "create", "skip", "create", "fail", "fail", "fail"}, verdicts)
	require.Equal(t, []string{"validation_failed", "", "order_open", "", "insufficient_credit", "season_unresolved", "validation_failed"}, codes)
	require.Equal(t, placed[1].OrderID, placed[2].OrderID)
	require.Equal(t, []credit.Kind{credit.Hold}, s.ledgerKinds(), "one field, one hold")
	s.holds(s.price, s.price)
	require.Len(t, s.Jobs, 2)
	require.Len(t, s.Trail, 2)
	list, err := s.profiles.List(t.Context(), s.owner, false, ports.Query{})
	require.NoError(t, err)
	require.EqualValues(t, 2, list.Count, "what is refused leaves no order")

	require.NoError(t, s.work(seen))
	placed, err = s.profiles.PlaceMany(t.Context(), s.owner, ask[1:2], false)
	require.NoError(t, err)
	require.Equal(t, "duplicate_profile", placed[0].Code)
	require.Equal(t, batch.Skip, placed[0].Verdict)

	_, err = s.profiles.PlaceMany(t.Context(), s.owner, make([]satellite.ProfileRequest, satellite.MaxBatch+1), false)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

// asked is an archive that answers a quote, and records what it was asked for.
type asked struct {
	scenes   int
	err      error
	from, to time.Time
}

func (a *asked) CountScenes(_ context.Context, _ geo.MultiPolygon, from, to time.Time) (int, error) {
	a.from, a.to = from, to
	return a.scenes, a.err
}

func TestAQuoteSaysWhetherTheArchiveCoversTheField(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	archive := &asked{}
	s.profiles.Archive = archive
	quote, err := s.profiles.Quote(t.Context(), s.owner, s.request(s.first))
	require.NoError(t, err)
	require.Zero(t, *quote.Scenes)
	require.Equal(t, []time.Time{s.first.StartDate, s.first.EndDate}, []time.Time{archive.from, archive.to})
	require.Equal(t, s.price, quote.Charge, "it is a word of warning, and nothing else")

	archive.scenes = 7
	s.Clock.At = s.first.StartDate.AddDate(0, 0, -1).Add(time.Hour) // the season begins tomorrow
	quote, err = s.profiles.Quote(t.Context(), s.owner, s.request(s.first))
	require.NoError(t, err)
	require.Equal(t, 7, *quote.Scenes)
	require.Equal(t, s.first.StartDate.AddDate(-1, 0, -1), archive.from)
	require.Equal(t, s.first.StartDate.AddDate(0, 0, -1), archive.to)

	archive.err = errors.New("no route to host")
	quote, err = s.profiles.Quote(t.Context(), s.owner, s.request(s.first))
	require.NoError(t, err)
	require.Nil(t, quote.Scenes, "not known")

	a := newArchive(newTile("clear", "2023-08-05T10:00:00Z", all(4), 3000), newTile("after", "2023-09-01T10:00:00Z", all(4), 3000))
	req := request(t)
	n, err := (&satellite.Computer{Imagery: a}).CountScenes(t.Context(), field, req.From, req.To)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
