package contract

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

type cultivation struct {
	ID       int64
	FieldID  int64 `json:"field_id"`
	SeasonID int64 `json:"season_id"`
	CropID   int64 `json:"crop_id"`
	Field    struct {
		ID   int64
		Name string
	}
	Season, Crop struct {
		ID   int64
		Name string
	}
}

type page struct {
	Count    int64
	Next     *string
	Previous *string
	Results  []cultivation
}

func TestCultivationLife(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		maize := c.Crop("maize")

		var one cultivation
		c.Expect(200, "POST", "cultivation/", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": maize, "id": 99}).Into(t, &one)
		require.Equal(t, "Field", one.Field.Name)
		require.Equal(t, "Season", one.Season.Name)
		require.Equal(t, land.Field, one.Field.ID)
		require.Equal(t, maize, one.Crop.ID)

		var many []cultivation
		body := map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": maize}
		bulk := make([]any, 23)
		for i := range bulk {
			bulk[i] = body
		}
		c.Expect(200, "POST", "cultivation/", bulk).Into(t, &many)
		require.Len(t, many, 23)

		var p page
		c.Expect(200, "GET", "cultivation/", nil).Into(t, &p)
		require.EqualValues(t, 25, p.Count)
		require.Len(t, p.Results, 10)
		require.Nil(t, p.Previous)
		require.Contains(t, *p.Next, "page=2")

		// Pages add up to the whole, in order of id.
		var all page
		c.Expect(200, "GET", "cultivation/?page=all", nil).Into(t, &all)
		require.Len(t, all.Results, 25)
		require.Nil(t, all.Next)
		var pieced []cultivation
		for _, n := range []string{"1", "2", "3"} {
			var piece page
			c.Expect(200, "GET", "cultivation/?page="+n, nil).Into(t, &piece)
			pieced = append(pieced, piece.Results...)
		}
		require.Equal(t, all.Results, pieced)
		for i := 1; i < len(pieced); i++ {
			require.Less(t, pieced[i-1].ID, pieced[i].ID)
		}

		// Filters, alone and together; links keep them.
		for query, want := range map[string]int64{
			"crop=" + itoa(maize): 24, "crop=" + itoa(land.Crop): 1, "field=" + itoa(land.Field): 25, "season=" + itoa(land.Season): 25,
			"crop=" + itoa(maize) + "&field=999999": 0, "share=true": 0, "share=false": 25,
			"created_by=999999": 0, "company=" + itoa(c.CompanyID): 25,
		} {
			var filtered page
			c.Expect(200, "GET", "cultivation/?"+query, nil).Into(t, &filtered)
			require.EqualValues(t, want, filtered.Count, query)
		}
		var linked page
		c.Expect(200, "GET", "cultivation/?page_size=5&crop="+itoa(maize), nil).Into(t, &linked)
		require.Contains(t, *linked.Next, "crop="+itoa(maize))
		require.Contains(t, *linked.Next, "page_size=5")

		// What GET answered can be sent back; PATCH changes one member.
		got := c.Expect(200, "GET", path("cultivation", one.ID), nil).Data(t)
		c.Expect(200, "PUT", path("cultivation", one.ID), got)
		var patched cultivation
		c.Expect(200, "PATCH", path("cultivation", one.ID), map[string]any{"crop_id": land.Crop}).Into(t, &patched)
		require.Equal(t, land.Crop, patched.Crop.ID)
		require.Equal(t, land.Field, patched.Field.ID)
		c.Expect(400, "PUT", path("cultivation", one.ID), map[string]any{"crop_id": land.Crop})
		c.Expect(400, "PATCH", path("cultivation", one.ID), map[string]any{"crop_id": nil})
		c.Expect(400, "PATCH", path("cultivation", one.ID), map[string]any{"crop_id": 99999999})

		c.Expect(204, "DELETE", path("cultivation", one.ID), nil)
		for _, method := range []string{"GET", "DELETE"} {
			c.Expect(404, method, path("cultivation", one.ID), nil)
		}
		c.Expect(404, "PATCH", path("cultivation", one.ID), `{}`)
	})
}

func TestTwentyConcurrentDeletesLeaveOneCultivation(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		body := map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop}
		for range 19 {
			c.Make("cultivation/", body)
		}
		var all page
		c.Expect(200, "GET", "cultivation/?page=all", nil).Into(t, &all)
		require.Len(t, all.Results, 20)

		answers := make([]rig.Answer, 20)
		var wg sync.WaitGroup
		for i, one := range all.Results {
			wg.Go(func() { answers[i] = c.Do(http.MethodDelete, path("cultivation", one.ID), nil) })
		}
		wg.Wait()
		refused := 0
		for _, a := range answers {
			if a.Status == 204 {
				continue
			}
			refused++
			require.Equal(t, 400, a.Status, "%s", a.Body)
			m := a.Map(t)
			require.Equal(t, "At least one cultivation must be kept. You cannot delete the last cultivation.", m["message"])
			require.Equal(t, "last_cultivation", m["code"])
			require.Empty(t, m["details"])
		}
		require.Equal(t, 1, refused)
		require.EqualValues(t, 1, c.Expect(200, "GET", "cultivation/", nil).Data(t)["count"])
	})
}

func TestDeletingAFieldTakesWhatHangsBelow(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		a := c.Expect(400, "DELETE", path("season", land.Season), nil).Map(t)
		require.Equal(t, "season_in_use", a["code"])
		c.Expect(204, "DELETE", path("farm", land.Farm), nil)
		for _, list := range []string{"farm/", "field/", "cultivation/"} {
			require.EqualValues(t, 0, c.Expect(200, "GET", list, nil).Data(t)["count"], list)
		}
		c.Expect(404, "GET", path("field", land.Field), nil)
		c.Expect(204, "DELETE", path("season", land.Season), nil)
	})
}
