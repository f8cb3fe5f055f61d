package contract

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

const takeFarms = "&map=farm:farm"

// farmsIn is a report of an import with what it states about farms.
type farmsIn struct {
	sownIn
	Farms    []farmIn
	Proposed map[string]struct{ Properties []string }
	Features []struct {
		Verdict string
		Farm    *farmIn
		Errors  map[string][]string
	}
}

type farmIn struct {
	ID   *int64
	Name string
}

func (f farmsIn) names() (out []string) {
	for _, one := range f.Farms {
		out = append(out, one.Name)
	}
	return out
}

func farmsOf(t *testing.T, a rig.Answer, status int) (out farmsIn) {
	t.Helper()
	require.Equal(t, status, a.Status, "%s", a.Body)
	if status == 200 {
		a.Into(t, &out)
	}
	return out
}

// rowsOf returns the records of a list by name.
func rowsOf(t *testing.T, c *rig.Client, list string) map[string]map[string]any {
	t.Helper()
	var page struct{ Results []map[string]any }
	c.Expect(200, "GET", list, nil).Into(t, &page)
	out := map[string]map[string]any{}
	for _, r := range page.Results {
		require.NotContains(t, out, r["name"], "once")
		out[r["name"].(string)] = r
	}
	return out
}

const longFarm = "Farm whose name takes more than thirty-two letters"

// estate makes two farms, each with a field, a crop and an application.
func estate(t *testing.T, c *rig.Client) {
	t.Helper()
	crop := int64(c.Expect(200, "GET", "crop/?search=wheat", nil).Map(t)["data"].(map[string]any)["results"].([]any)[0].(map[string]any)["id"].(float64))
	season := newSeason(c)
	for i, name := range []string{"Hof & Söhne", longFarm} {
		farm := c.Make("farm/", map[string]any{
			"name": name, "country": "germany", "city": "Ort", "postal_code": fmt.Sprint("1234", i), "address": "Weg 1", "region": "Hessen", "external_id": fmt.Sprint("estate-", i),
		})
		field := c.Make("field/", map[string]any{"name": fmt.Sprint("Field ", i), "farm_id": farm, "external_id": fmt.Sprint("F-", i), "boundary": rig.Square(200, 3*i)})
		grown := c.Make("cultivation/", map[string]any{"field_id": field, "season_id": season, "crop_id": crop})
		c.Make("fertilization/", map[string]any{"cultivation_id": grown, "product": "urea", "applied_on": "2025-03-10", "amount": map[string]any{"value": 200, "unit": "kg/ha"}})
	}
}

func newSeason(c *rig.Client) int64 {
	return c.Make("season/", map[string]any{"name": "2025", "start_date": "2025-01-01", "end_date": "2025-12-31"})
}

// Two exported farms come into another company as two farms, with their fields, crops and applications; a repeat changes nothing.
func TestFilesBringTheirFarms(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		estate(t, c)
		third := s.Company(access.RoleOwner, 0)
		elsewhere := newFarm(third)
		for _, format := range outlineFormats {
			file := c.Expect(200, "GET", "field/export/?format="+format, nil).Body
			look := farmsOf(t, third.Upload(importPath(elsewhere, takeFarms+"&preview=true"), "", bytes.NewReader(file)), 200)
			require.Equal(t, []string{"Hof & Söhne", longFarm}, look.names(), "%s: %+v", format, look.Features)
		}
		for _, format := range []string{"isoxml", "geojson"} {
			file := c.Expect(200, "GET", "field/export/?format="+format, nil).Body
			ours := farmsOf(t, c.Upload(importPath(newFarm(c), takeFarms), "", bytes.NewReader(file)), 200)
			require.EqualValues(t, 2, ours.Skipped, "%+v", ours.Features)

			other := s.Company(access.RoleOwner, 0)
			home := other.Make("farm/", map[string]any{"name": "Home", "country": "spain"})
			more := takeFarms
			if format == "isoxml" {
				more += "&map=product:product&season_id=" + itoa(newSeason(other))
			}
			plain := farmsOf(t, other.Upload(importPath(home, "&preview=true"), "", bytes.NewReader(file)), 200)
			require.Equal(t, []string{"farm"}, plain.Proposed["farm"].Properties)
			require.EqualValues(t, 2, plain.left()["farm"])
			require.NotContains(t, plain.Mapping, "farm")
			require.Equal(t, home, *plain.Features[0].Farm.ID, "as without a mapping")
			require.Empty(t, plain.Farms)

			look := farmsOf(t, other.Upload(importPath(home, more+"&preview=true"), "", bytes.NewReader(file)), 200)
			require.EqualValues(t, 2, look.Created, "%+v", look.Features)
			require.Equal(t, []farmIn{{nil, "Hof & Söhne"}, {nil, longFarm}}, look.Farms)
			require.Equal(t, farmIn{nil, longFarm}, *look.Features[1].Farm)
			require.Empty(t, look.Proposed)
			require.NotContains(t, look.left(), "farm")
			require.Len(t, rowsOf(t, other, "farm/"), 1)

			made := farmsOf(t, other.Upload(importPath(home, more), "", bytes.NewReader(file)), 200)
			require.EqualValues(t, 2, made.Created, "%+v", made.Features)
			require.Equal(t, []string{"Hof & Söhne", longFarm}, made.names())
			require.Equal(t, made.Farms[1], *made.Features[1].Farm)
			farms, fields := rowsOf(t, other, "farm/"), rowsOf(t, other, "field/")
			require.Len(t, farms, 3)
			for i, name := range made.names() {
				require.EqualValues(t, *made.Farms[i].ID, farms[name]["id"])
				require.Equal(t, farms[name]["id"], fields[fmt.Sprint("Field ", i)]["farm_id"])
				address := []any{"spain", "", "", "", ""}
				if format == "isoxml" {
					address = []any{"germany", "Hessen", "Ort", "Weg 1", fmt.Sprint("1234", i)}
				}
				require.Equal(t, address, []any{farms[name]["country"], farms[name]["region"], farms[name]["city"], farms[name]["address"], farms[name]["postal_code"]})
				trail := string(other.Expect(200, "GET", "audit/?resource=farm&record="+itoa(*made.Farms[i].ID), nil).Body)
				require.Contains(t, trail, `"create"`)
			}
			again := farmsOf(t, other.Upload(importPath(home, more), "", bytes.NewReader(file)), 200)
			require.EqualValues(t, 2, again.Skipped, "%+v", again.Features)
			require.Empty(t, again.Farms)
			require.Len(t, rowsOf(t, other, "farm/"), 3)
			if format == "isoxml" {
				require.EqualValues(t, 2, other.Expect(200, "GET", "cultivation/", nil).Data(t)["count"])
				require.EqualValues(t, 2, other.Expect(200, "GET", "fertilization/", nil).Data(t)["count"])
			}
		}
	})
}

// A farm of a file is found by its external id or its name, only within the company; an ambiguous farm is refused with the fix.
func TestFarmsOfAFileAreFoundOrRefused(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		home, north := newFarm(c), c.Make("farm/", map[string]any{"name": "North"})
		first, second := c.Make("farm/", map[string]any{"name": "Twin", "external_id": "T-1"}), c.Make("farm/", map[string]any{"name": "TWIN"})
		foreign := stranger.Make("farm/", map[string]any{"name": "Foreign", "external_id": "X-1"})
		file := func(farms ...any) string {
			return collection(t, 0, len(farms), func(i int, p map[string]any) {
				if farms[i] != nil {
					p["farm"] = farms[i]
				}
			})
		}
		send := func(c *rig.Client, more, body string, status int) farmsIn {
			return farmsOf(t, c.Upload(importPath(home, "&map=external_id:key"+more), mediaGeoJSON, strings.NewReader(body)), status)
		}
		key, _ := newKey(t, c, map[string]any{"slugs": []string{"field.*"}})
		restricted := rig.Remote(t, s.URL, "")
		send(restricted, takeFarms+"&api_key="+key, file("north", "New"), 403)
		send(restricted, takeFarms+"&preview=true&api_key="+key, file("north", "New"), 403)
		require.Zero(t, c.Expect(200, "GET", "field/", nil).Data(t)["count"])
		got := send(restricted, takeFarms+"&api_key="+key, file("north", nil, "Twin", "T-1"), 200)
		require.Equal(t, []int64{3, 1}, []int64{got.Created, got.Failed}, "%+v", got.Features)
		require.Equal(t, []int64{north, home, first}, []int64{*got.Features[0].Farm.ID, *got.Features[1].Farm.ID, *got.Features[3].Farm.ID})
		require.Nil(t, got.Features[2].Farm)
		twin := got.Features[2].Errors["farm"][0]
		require.Contains(t, twin, fmt.Sprintf(`the farm %d (external id "T-1") or the farm %d. Fix:`, first, second))
		require.Contains(t, twin, `"values": {"Twin": "T-1"}`)
		require.Equal(t, "North", rowsOf(t, c, "field/")["Square 0"]["farm"].(map[string]any)["name"])

		// A farm of another company is never matched: a new one with that name is made.
		got = send(c, takeFarms, file("North", nil, "X-1"), 200)
		require.Equal(t, []string{"X-1"}, got.names())
		require.NotEqual(t, foreign, *got.Farms[0].ID)
		c.Expect(204, "DELETE", "farm/"+itoa(*got.Farms[0].ID)+"/", nil)
		got = send(c, takeFarms, file("North", nil, "X-1"), 200)
		require.Equal(t, []int64{1, 2}, []int64{got.Created, got.Skipped}, "a farm that is deleted is made again")

		values := "&mapping=" + url.QueryEscape(`{"farm": {"property": "farm", "values": {"Twin": "T-1", "elsewhere": null}, "default": "North"}}`)
		got = send(c, values+"&preview=true", strings.NewReplacer(`"k0"`, `"v0"`, `"k1"`, `"v1"`, `"k2"`, `"v2"`).Replace(file("Twin", "elsewhere", "other")), 200)
		require.Equal(t, []int64{first, north}, []int64{*got.Features[0].Farm.ID, *got.Features[1].Farm.ID})
		require.Nil(t, got.Features[2].Farm)
		require.Contains(t, got.Features[2].Errors["farm"][0], "is not among the values")
		require.Equal(t, "unknown_name", c.Upload(importPath(home, "&map=farm:frm"), mediaGeoJSON, strings.NewReader(file("a"))).Map(t)["code"])

		// A field that is known by its uuid stays on its farm.
		text := string(c.Expect(200, "GET", "field/export/?format=geojson&farm="+itoa(north), nil).Body)
		got = farmsOf(t, c.Upload(importPath(home, takeFarms), mediaGeoJSON, strings.NewReader(strings.ReplaceAll(text, `"North"`, `"T-1"`))), 200)
		require.Contains(t, got.Features[0].Errors["uuid"][0], "of another farm")
	})
}

// Concurrent files that name the same farm make it once, and so do the pieces of a large file, whose report names the farm.
func TestFarmsAreMadeOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		c := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches}).Company(access.RoleOwner, 0)
		home := newFarm(c)
		named := func(from, to int) string {
			return collection(t, from, to, func(i int, p map[string]any) { p["farm"] = []string{"North", "South", "Import"}[i%3] })
		}
		path := importPath(home, "&map=external_id:key"+takeFarms)
		var all sync.WaitGroup
		answers := make([]rig.Answer, 3)
		for i := range answers {
			all.Go(func() { answers[i] = c.Upload(path, mediaGeoJSON, strings.NewReader(named(0, 3))) })
		}
		all.Wait()
		for _, a := range answers {
			require.EqualValues(t, 3, farmsOf(t, a, 200).Total)
		}
		require.Len(t, rowsOf(t, c, "farm/"), 3)
		require.Len(t, rowsOf(t, c, "field/"), 3)
		for _, farm := range []string{"North", "South"} {
			c.Expect(204, "DELETE", fmt.Sprintf("farm/%v/", rowsOf(t, c, "farm/")[farm]["id"]), nil)
		}

		const total = 55
		background := func(more string) farmsIn {
			job := *importOf(t, c.Upload(path+more, mediaGeoJSON, strings.NewReader(named(0, total))), 202).JobID
			untilImported(t, c, job)
			return farmsOf(t, c.Do("GET", fmt.Sprintf("field/import/%d/", job), nil), 200)
		}
		look := background("&preview=true")
		require.Equal(t, []farmIn{{nil, "North"}, {nil, "South"}}, look.Farms, "%+v", look)
		require.Len(t, rowsOf(t, c, "farm/"), 1)
		made := background("&atomic=true")
		require.EqualValues(t, total-1, made.Created, "%+v", made.Features)
		require.Equal(t, []string{"North", "South"}, made.names())
		require.EqualValues(t, rowsOf(t, c, "farm/")["South"]["id"], *made.Farms[1].ID)
		again := background("")
		require.EqualValues(t, total, again.Skipped)
		require.Empty(t, again.Farms)
		require.Len(t, rowsOf(t, c, "farm/"), 3)
	})
}

// Undoing an import deletes the farms that it made, and never what others put there meanwhile.
func TestFarmsAreDeletedOnlyWhereEmpty(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, reader := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		farm := func() string { return path("farm", newFarm(c)) }
		tilled, assessed, shared, bare := newFarm(c), newFarm(c), newFarm(c), farm()
		field := c.Make("field/", map[string]any{"name": "Field", "farm_id": tilled})
		c.Expect(201, "POST", "ghg/assessments/", map[string]any{"resource_type": "farm", "resource_id": assessed, "assessment_year": 2025})
		grant := c.Make("share-grant/", map[string]any{"grantee_uuid": reader.UUID(), "target": "farm", "farm_id": shared, "slugs": []string{"farm.view"}})
		for _, holding := range []int64{tilled, assessed, shared} {
			require.Equal(t, "not_empty", c.Expect(409, "DELETE", path("farm", holding)+"?empty=true", nil).Map(t)["code"])
			c.Expect(200, "GET", path("farm", holding), nil)
		}
		c.Expect(200, "GET", path("field", field), nil)
		c.Expect(204, "DELETE", path("field", field), nil)
		c.Expect(204, "DELETE", path("share-grant", grant), nil)
		for _, emptied := range []string{path("farm", tilled), path("farm", shared), bare} {
			c.Expect(204, "DELETE", emptied+"?empty=true", nil)
			c.Expect(404, "GET", emptied, nil)
		}
		c.Expect(204, "DELETE", path("farm", assessed)+"?empty=false", nil)
		reader.Expect(404, "DELETE", farm()+"?empty=true", nil)
	})
}
