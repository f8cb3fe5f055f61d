package outlines_test

import (
	"bytes"
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	farmapp "tilth/app/farm"
	"tilth/app/farm/outlines"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
	"tilth/tests/fields"
	"tilth/tests/memory"
)

// bring imports features into the farms that they name.
func (l *land) bring(t *testing.T, who access.Principal, store ports.Store, options farm.ImportOptions, features ...ports.Feature) (outlines.ImportReport, error) {
	t.Helper()
	deps := l.world.Deps()
	if store != nil {
		deps.Store = store
	}
	in := &outlines.Imports{Deps: deps, Objects: memory.Drawer{}, Outlines: memory.Features(features), Farms: farmapp.NewFarms(deps), Fields: farmapp.NewFields(deps, geo.DefaultLimits())}
	options.FarmID = l.farm.ID
	options.Mapping = farm.Mapping{"farm": {Properties: []string{"farm"}, Param: "map.farm"}, "external_id": {Properties: []string{"key"}}}
	return in.Start(t.Context(), who, options, func() (outlines.ImportFile, error) {
		return outlines.ImportFile{Body: bytes.NewReader(nil)}, nil
	})
}

func (l *land) farms(t *testing.T) (out []string) {
	t.Helper()
	l.world.Put(func(tx ports.Repos) error {
		for f, err := range tx.Farms.Each(t.Context(), l.owner.Scope(false), ports.Query{}) {
			require.NoError(t, err)
			out = append(out, f.Name)
		}
		return nil
	})
	return out
}

// A farm is made for features that are stored, and once, whatever the case of its name.
func TestFarmsAreMadeForFieldsThatAreStored(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	at := func(name, key string, x float64) ports.Feature {
		return ports.Feature{Boundary: fields.Round(t, x, 0, 0.001, 12), Geometry: "Polygon", Attributes: map[string]string{"farm": name, "key": key}}
	}
	there, err := l.bring(t, l.owner, nil, farm.ImportOptions{}, at("", "taken", 0))
	require.NoError(t, err)
	require.Equal(t, l.farm.ID, there.Judged[0].Farm.ID, "the farm of the request")
	features := []ports.Feature{
		at("North", "n1", 0.1), at("NORTH ", "n2", 0.2), at("home", "h", 0.3), at("Barren", "taken", 0.4),
		{Attributes: map[string]string{"farm": "No outline", "key": "o"}},
		{Geometry: "Polygon", Err: fault.Field("boundary", "It crosses itself."), Attributes: map[string]string{"farm": "Unsound", "key": "u"}},
	}
	for _, preview := range []bool{true, false} {
		got, err := l.bring(t, l.owner, nil, farm.ImportOptions{Preview: preview}, features...)
		require.NoError(t, err)
		verdicts := []batch.Outcome{}
		for _, j := range got.Judged {
			verdicts = append(verdicts, j.Verdict)
		}
		require.Equal(t, []batch.Outcome{batch.Create, batch.Create, batch.Create, batch.Fail, batch.Skip, batch.Fail}, verdicts)
		require.Contains(t, got.Judged[3].Errors.Messages()["external_id"][0], "taken")
		require.Len(t, got.Made, 1)
		require.Equal(t, "North", got.Made[0].Name)
		require.Equal(t, preview, got.Made[0].ID == 0)
		require.Equal(t, got.Made[0], got.Judged[1].Farm.Ref)
		require.Equal(t, record.Ref{ID: l.farm.ID, Name: "Home"}, got.Judged[2].Farm.Ref)
	}
	require.Equal(t, []string{"Home", "North"}, l.farms(t))
	again, err := l.bring(t, l.owner, nil, farm.ImportOptions{}, features[:3]...)
	require.NoError(t, err)
	require.EqualValues(t, 3, again.Tally[batch.Skip])
	require.Empty(t, again.Made)

	_, err = l.bring(t, l.owner, nil, farm.ImportOptions{Atomic: true}, at("West", "w", 0.6), at("West", "taken", 0.7))
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	_, err = l.bring(t, l.owner, nil, farm.ImportOptions{}, at(string(bytes.Repeat([]byte("x"), 256)), "long", 0.8))
	require.NoError(t, err)
	require.Equal(t, []string{"Home", "North"}, l.farms(t), "all or nothing")
}

// once runs a function before the first write.
type once struct {
	ports.Store
	do func()
}

func (o *once) Write(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	if first := o.do; first != nil {
		o.do = nil
		first()
	}
	return o.Store.Write(ctx, do)
}

// A farm that is deleted before it is locked no longer exists: it is made again for a caller who may, and otherwise no feature goes there.
func TestFarmsThatAreDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, may := range []bool{true, false} {
		l := newLand(t)
		who := l.owner
		if !may {
			who.KeyID, who.KeySlugs = 1, []string{"field.*"}
		}
		farms := farmapp.NewFarms(l.world.Deps())
		made, err := farms.Create(t.Context(), l.owner, []farmapp.Draft[farm.Farm]{{Record: farm.Farm{Name: "North"}}}, false)
		require.NoError(t, err)
		store := &once{l.world, func() { require.NoError(t, farms.Delete(t.Context(), l.owner, made[0].ID)) }}
		feature := ports.Feature{Boundary: fields.Round(t, 0, 0, 0.001, 12), Geometry: "Polygon", Attributes: map[string]string{"farm": "North", "key": "n"}}
		got, err := l.bring(t, who, store, farm.ImportOptions{}, feature)
		require.NoError(t, err)
		if may {
			require.Equal(t, batch.Create, got.Judged[0].Verdict)
			require.NotEqual(t, made[0].ID, got.Judged[0].Farm.ID)
			require.Equal(t, []string{"Home", "North"}, l.farms(t))
			continue
		}
		require.Equal(t, batch.Fail, got.Judged[0].Verdict)
		require.Contains(t, got.Judged[0].Errors.Messages()["farm"][0], "farm.create")
		require.Equal(t, []string{"Home"}, l.farms(t))
		_, err = l.bring(t, who, nil, farm.ImportOptions{Preview: true}, feature)
		require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		require.NoError(t, farms.Delete(t.Context(), l.owner, l.farm.ID))
		_, err = l.bring(t, l.owner, nil, farm.ImportOptions{}, feature)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
}

// The names of farms are held in memory while they are looked up, so there is a limit, which the error states.
func TestAFileNamesSoManyFarms(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	features := make([]ports.Feature, 10_001)
	for i := range features {
		features[i] = ports.Feature{Attributes: map[string]string{"farm": "Farm " + strconv.Itoa(i), "key": ""}}
	}
	_, err := l.bring(t, l.owner, nil, farm.ImportOptions{Preview: true}, features...)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	known, _ := fault.As(err)
	require.Contains(t, known.Fields.Messages()["map"][0], "more than 10000 farms")
	require.Equal(t, []string{"Home"}, l.farms(t))
}
