package contract

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// follow reads a list of farms page by page by its cursor, and returns the names in order; it calls between before each
// page except the first.
func follow(t *testing.T, c *rig.Client, list string, between func(page int)) (names []string) {
	t.Helper()
	for page := 0; ; page++ {
		if page > 0 {
			between(page)
		}
		data := c.Expect(200, "GET", list, nil).Data(t)
		require.Nil(t, data["previous"])
		for _, r := range data["results"].([]any) {
			names = append(names, r.(map[string]any)["name"].(string))
		}
		next, more := data["next"].(string)
		if !more {
			return names
		}
		require.NotContains(t, next, "page=")
		_, list, _ = strings.Cut(next, "/api/v1.2/")
	}
}

// A list that is read by cursor is complete and in order, whatever other records are created and deleted meanwhile.
func TestListsGoOnByCursor(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		var farms []any
		for n := range 13 {
			farms = append(farms, map[string]any{"name": fmt.Sprintf("%c farm", 'a'+n%5), "country": "spain"})
		}
		c.Expect(200, "POST", "farm/", farms)
		for _, ordering := range []string{"", "name", "-name", "-updated_at,name", "created_at", "-id"} {
			query := "farm/?page_size=4&ordering=" + ordering
			if ordering == "" {
				query = "farm/?page_size=4"
			}
			want := names[string](t, c, strings.Replace(query, "page_size=4", "page=all", 1), "name")
			extra := map[int]int64{}
			got := follow(t, c, query+"&cursor=first", func(page int) { // sorts before everything that is left in the list, in any order
				if ordering == "" || ordering == "created_at" {
					return // the newest come last in these orders
				}
				extra[page] = c.Make("farm/", map[string]any{"name": map[bool]string{true: "a", false: "z"}[ordering == "name"], "country": "spain"})
			})
			require.Equal(t, want, got, ordering)
			for _, id := range extra {
				c.Expect(204, "DELETE", path("farm", id), nil)
			}
		}
		require.Equal(t, []string{"e farm", "e farm"}, follow(t, c, "farm/?search=e%20farm&page_size=1&cursor=first", func(int) {}))
		require.Empty(t, follow(t, c, "farm/?search=nothing&cursor=first", func(int) {}))

		first := c.Expect(200, "GET", "farm/?page_size=4&ordering=name&cursor=first", nil).Data(t)
		_, cursor, _ := strings.Cut(first["next"].(string), "cursor=")
		cursor, _, _ = strings.Cut(cursor, "&")
		made := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
		for name, bad := range map[string]string{
			"no cursor":        "cursor=%21",
			"another ordering": "ordering=-name&cursor=" + cursor,
			"beside a page":    "ordering=name&page=2&cursor=" + cursor,
			"another type":     "ordering=id&cursor=" + made(`{"o":[{"Field":"id","Descending":false}],"k":["x"]}`),
			"too few keys":     "ordering=name&cursor=" + made(`{"o":[{"Field":"name","Descending":false}],"k":["x"]}`),
			"a NUL":            "ordering=name&cursor=" + made(`{"o":[{"Field":"name","Descending":false}],"k":["\u0000",1]}`),
			"no value":         "ordering=id&cursor=" + made(`{"o":[{"Field":"id","Descending":false}],"k":[null]}`),
		} {
			require.Contains(t, c.Expect(400, "GET", "farm/?"+bad, nil).Map(t)["details"], "cursor", name)
		}

		// Lists outside farm management put the same into Link.
		answer := c.Expect(200, "GET", "user/?cursor=first&page_size=1", nil)
		require.Equal(t, "1", answer.Header.Get("X-Total-Count"))
		require.NotContains(t, answer.Header.Get("Link"), `rel="next"`)
		s.User(c.CompanyID, "viewer")
		answer = c.Expect(200, "GET", "user/?cursor=first&page_size=1", nil)
		_, next, _ := strings.Cut(answer.Header.Get("Link"), `rel="first", <`)
		next, _, found := strings.Cut(next, `>; rel="next"`)
		require.True(t, found, answer.Header.Get("Link"))
		_, next, _ = strings.Cut(next, "/api/v1.2/")
		require.NotContains(t, c.Expect(200, "GET", next, nil).Header.Get("Link"), `rel="next"`)

		// So do lists that have only one order: the trail, read by cursor, equals the trail.
		var whole, behind []struct{ ID int64 }
		trail := c.Expect(200, "GET", "audit/?page=1&page_size=1000", nil)
		trail.Into(t, &whole)
		require.Equal(t, strconv.Itoa(len(whole)), trail.Header.Get("X-Total-Count"))
		for next, more := "audit/?page_size=7&cursor=first", true; more; {
			var page []struct{ ID int64 }
			answer := c.Expect(200, "GET", next, nil)
			answer.Into(t, &page)
			behind = append(behind, page...)
			links := strings.Split(answer.Header.Get("Link"), "<")
			_, next, _ = strings.Cut(strings.Split(links[len(links)-1], ">")[0], "/api/v1.2/")
			more = strings.Contains(links[len(links)-1], `rel="next"`)
		}
		require.Equal(t, whole, behind)
	})
}
