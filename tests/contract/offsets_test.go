package contract

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/realdata"
	"tilth/tests/rig"
)

// detailed is the data behind the points: in a retrieve with ?detail=true, and in the
// output of `tilth profile`.
type detailed struct {
	Observations []struct {
		Items   []string
		Offsets []struct {
			Item, Basis string
			Offset      float64
		}
	}
	Rejected []struct {
		Reason string
		Note   *string
	}
}

// check checks that every scene of every observation has its offset, with one of the values.
func (d detailed) check(t *testing.T, values ...float64) {
	t.Helper()
	require.NotEmpty(t, d.Observations)
	for _, o := range d.Observations {
		require.Len(t, o.Offsets, len(o.Items))
		for i, offset := range o.Offsets {
			require.Equal(t, o.Items[i], offset.Item)
			require.Equal(t, "item", offset.Basis)
			require.Contains(t, values, offset.Offset)
		}
	}
	for _, r := range d.Rejected {
		require.Equal(t, r.Reason == "error", r.Note != nil)
	}
}

func TestDetailSaysWhichOffsetWasApplied(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		archive := rig.Archive(t)
		s := rig.Start(t, rig.Options{Database: database, Imagery: archive.Dir})
		c := s.Company("owner", 100_000)
		land := c.Land(archive.Parcels[0].Boundary, archive.From.Format("2006-01-02"), archive.To.Format("2006-01-02"))
		order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
		c.Until(order, "active")
		var got detailed
		c.Expect(200, "GET", rig.OrdersPath+rig.Itoa(order)+"/?detail=true", nil).Into(t, &got)
		// The archive changes its processing convention in the middle of the season.
		got.check(t, 0, -0.1)
	})
}

func TestProfileCommandSaysWhichOffsetWasApplied(t *testing.T) {
	t.Parallel()
	folder := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	out, errOut, status := run(t, "sqlite:unused.db", "", "profile", "--catalog", folder, "--field", filepath.Join(folder, "field.geojson"),
		"--from", "2019-01-01", "--to", "2019-03-31")
	require.Zero(t, status, errOut)
	var got detailed
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	got.check(t, 0)
}
