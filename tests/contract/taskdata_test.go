package contract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// taskDataOf returns the main file of an export of task data.
func taskDataOf(t *testing.T, c *rig.Client, more string) string {
	t.Helper()
	file := c.Expect(200, "GET", "field/export/?format=isoxml"+more, nil).Body
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	entry, err := in.Open("TASKDATA/TASKDATA.XML")
	require.NoError(t, err)
	text, err := io.ReadAll(entry)
	require.NoError(t, err)
	return string(text)
}

// Task data contain what belongs to fields, as far as the caller may see it.
func TestTaskDataHasWhatBelongsToFields(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c)
	sampled(t, c)
	text := taskDataOf(t, c, "")
	require.Equal(t, 8, strings.Count(text, `<PNT A="1" B="Z`), "the samples, without their reserves")
	for _, element := range []string{"CTR", "FRM", "PFD", "CTP"} {
		require.Equal(t, 1, strings.Count(text, "<"+element+" "), "%s in %s", element, text)
	}
	require.NotContains(t, taskDataOf(t, c, "&farm=999999"), "<PFD")
	require.NotContains(t, taskDataOf(t, other, ""), "<PNT")

	key, _ := newKey(t, c, map[string]any{"slugs": []string{"field.*"}})
	anonymous := rig.Remote(t, s.URL, "")
	alone := taskDataOf(t, anonymous, "&api_key="+key)
	require.Contains(t, alone, "<PFD")
	require.Contains(t, alone, "<FRM", "its id and its name stand in the field")
	require.NotContains(t, alone, "<CTP")
	require.NotContains(t, alone, `<PNT A="1"`)
}

// Each application is a task with its product, if its time and amount are known.
func TestTaskDataHasWhatWasApplied(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		farm, other := newFarm(c), newFarm(c)
		field := c.Make("field/", map[string]any{"name": "Long", "farm_id": farm, "declared_area_ha": 4})
		season := c.Make("season/", map[string]any{"name": "2025", "start_date": "2025-01-01", "end_date": "2025-12-31"})
		crop := int64(c.Expect(200, "GET", "crop/?search=wheat", nil).Map(t)["data"].(map[string]any)["results"].([]any)[0].(map[string]any)["id"].(float64))
		grown := c.Make("cultivation/", map[string]any{"field_id": field, "season_id": season, "crop_id": crop})
		apply := func(on any, value float64, unit string, more map[string]any) int64 {
			body := map[string]any{"cultivation_id": grown, "applied_on": on, "amount": map[string]any{"value": value, "unit": unit}}
			maps.Copy(body, more)
			return c.Make("fertilization/", body)
		}
		first := apply("2025-03-10", 200, "kg/ha", map[string]any{"product": "urea", "external_id": "U-1"})
		second := apply("2025-04-02", 0.3, "m3/ha", map[string]any{"product": "uan", "product_name": "AHL", "density_kg_per_l": 1.28})
		third := apply("2025-04-20", 600, "kg", map[string]any{"product": "urea"})
		apply(nil, 100, "kg/ha", map[string]any{"product": "dap"})
		text := taskDataOf(t, c, "&farm="+itoa(farm))
		for _, want := range []string{
			`<PDT A="PDT1" B="Urea"/>`, `<PDT A="PDT2" B="AHL" H="1280000"/>`, `<PDT A="PDT3" B="Diammonium phosphate"/>`,
			fmt.Sprintf(`<TSK A="TSK%d" B="Urea" C="CTR%d" D="FRM%d" E="PFD%d" G="4" H="1">`, first, c.CompanyID, farm, field),
			`<PDV A="0006" B="20000" C="PDT1"/>`, `<PDV A="0001" B="3000000" C="PDT2"/>`, `<PDV A="0006" B="15000" C="PDT1"/>`,
			`<TIM A="2025-03-10T00:00:00" D="4"/>`, `<ASP A="2025-04-02T00:00:00" D="4"/>`,
			fmt.Sprintf(`<TSK A="TSK%d" B="AHL"`, second), fmt.Sprintf(`<TSK A="TSK%d" B="Urea"`, third),
		} {
			require.Contains(t, text, want)
		}
		require.Equal(t, 4, strings.Count(text, "<TSK "), "also without a day")
		require.NotContains(t, taskDataOf(t, c, "&farm="+itoa(other)), "<PDT", "of the fields of the list")

		key, _ := newKey(t, c, map[string]any{"slugs": []string{"field.*", "cultivation.*"}})
		require.NotContains(t, taskDataOf(t, rig.Remote(t, s.URL, ""), "&api_key="+key), "<PDT")
		key, _ = newKey(t, c, map[string]any{"slugs": []string{"field.*", "fertilization.*"}})
		require.Contains(t, taskDataOf(t, rig.Remote(t, s.URL, ""), "&api_key="+key), "<TSK")
		require.Contains(t, string(exported(c, farm, "isoxml")), "PK")
		var back sownIn
		c.Upload(importPath(farm, "&preview=true"), mediaZip, bytes.NewReader(exported(c, farm, "isoxml"))).Into(t, &back)
		require.Equal(t, map[string]int64{"application": 4, "crop": 1}, back.left(), "an import says what it does not take")
	})
}

// An export is imported whole into another company: farms' fields, crops, and applications with their product, day and amount.
func TestTaskDataMovesWhatWasApplied(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		sown := func(c *rig.Client, farm int64) int64 {
			field := c.Make("field/", map[string]any{"name": "Long", "farm_id": farm, "external_id": "F-1", "boundary": rig.Square(200, 1)})
			season := c.Make("season/", map[string]any{"name": "2025", "start_date": "2025-01-01", "end_date": "2025-12-31"})
			crop := int64(c.Expect(200, "GET", "crop/?search=wheat", nil).Map(t)["data"].(map[string]any)["results"].([]any)[0].(map[string]any)["id"].(float64))
			return c.Make("cultivation/", map[string]any{"field_id": field, "season_id": season, "crop_id": crop})
		}
		c, other := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		farm := newFarm(c)
		grown := sown(c, farm)
		apply := func(body map[string]any) {
			body["cultivation_id"] = grown
			c.Make("fertilization/", body)
		}
		long := strings.Repeat("Our own blend ", 4) + "7"
		apply(map[string]any{"product": "urea", "applied_on": "2024-11-10", "amount": map[string]any{"value": 200, "unit": "kg/ha"}, "external_id": "U-1"})
		apply(map[string]any{"product": "uan", "product_name": "AHL", "density_kg_per_l": 1.28, "applied_on": "2025-04-02", "amount": map[string]any{"value": 0.3, "unit": "m3/ha"}})
		apply(map[string]any{"product": "custom", "product_name": long, "applied_on": "2025-04-02", "amount": map[string]any{"value": 600, "unit": "kg"}})
		apply(map[string]any{"product": "dap"})
		file := exported(c, farm, "isoxml")
		const take = "&map=product:product"
		send := func(c *rig.Client, farm int64, more string) (out appliedIn) {
			a := c.Upload(importPath(farm, more), mediaZip, bytes.NewReader(file))
			require.Equal(t, 200, a.Status, "%s", a.Body)
			a.Into(t, &out)
			return out
		}
		same := send(c, farm, take)
		require.EqualValues(t, 1, same.Skipped, "%+v", same.Features)
		require.Equal(t, []string{"skip", "skip", "skip", "skip"}, same.verdicts())
		require.NotContains(t, same.left(), "application")

		// In another company: without a season there is no cultivation for it; with one, a preview shows what would be made.
		theirs := newFarm(other)
		none := send(other, theirs, take+"&preview=true")
		require.Equal(t, []string{"skip", "skip", "skip", "skip"}, none.verdicts())
		require.Contains(t, *none.Features[0].Fertilizations[1].Reason, "season_id")
		there := other.Make("season/", map[string]any{"name": "25", "start_date": "2025-01-01", "end_date": "2025-12-31"})
		chosen := take + "&season_id=" + itoa(there)
		look := send(other, theirs, chosen+"&preview=true")
		require.Equal(t, []string{"create", "create", "create", "create"}, look.verdicts())
		require.Nil(t, look.Features[0].Fertilizations[0].ID)
		require.Zero(t, other.Expect(200, "GET", "fertilization/", nil).Data(t)["count"])
		made := send(other, theirs, chosen)
		require.EqualValues(t, 1, made.Created)
		require.Equal(t, []string{"create", "create", "create", "create"}, made.verdicts())
		again := send(other, theirs, chosen)
		require.EqualValues(t, 1, again.Skipped, "%+v", again.Features)
		require.Equal(t, []string{"skip", "skip", "skip", "skip"}, again.verdicts())

		rows := func(c *rig.Client) []any {
			return c.Expect(200, "GET", "fertilization/?ordering=id", nil).Data(t)["results"].([]any)
		}
		before, after := rows(c), rows(other)
		require.Len(t, after, len(before))
		for i := range before {
			was, is := before[i].(map[string]any), after[i].(map[string]any)
			for _, member := range []string{"product", "product_name", "applied_on", "density_kg_per_l", "external_id", "mass_kg_per_ha", "n_kg_per_ha"} {
				if number, ok := was[member].(float64); ok {
					require.InEpsilon(t, number, is[member], 1e-4, member)
					continue
				}
				require.Equal(t, was[member], is[member], member)
			}
		}
		// One that was changed there is corrected by its key; the others are recognised by their content.
		first := int64(after[0].(map[string]any)["id"].(float64))
		other.Expect(200, "PATCH", "fertilization/"+itoa(first)+"/", map[string]any{"amount": map[string]any{"value": 90, "unit": "kg/ha"}, "notes": "kept"})
		mended := send(other, theirs, chosen)
		require.Equal(t, []string{"update", "skip", "skip", "skip"}, mended.verdicts())
		require.EqualValues(t, 1, mended.Updated)
		record := other.Expect(200, "GET", "fertilization/"+itoa(first)+"/", nil).Data(t)
		require.Equal(t, []any{"kept", 200.0}, []any{record["notes"], record["amount"].(map[string]any)["value"]})

		// A user without the permission to make them is refused, and so is a file that has none.
		key, _ := newKey(t, c, map[string]any{"slugs": []string{"field.*", "cultivation.*"}})
		refused := rig.Remote(t, s.URL, "").Upload(importPath(farm, take+"&api_key="+key), mediaZip, bytes.NewReader(file))
		require.Equal(t, 403, refused.Status, "%s", refused.Body)
		plain := c.Upload(importPath(farm, take), "application/geo+json", strings.NewReader(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"product":"urea"},"geometry":null}]}`))
		require.Equal(t, 400, plain.Status, "%s", plain.Body)
		require.Contains(t, string(plain.Body), "task data")
	})
}

// Products in tasks of other programs are translated to those of the catalog, or as the mapping states; what was only planned is no fertilization.
func TestProductsOfOtherProgramsAreTranslated(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 0)
	farm, season := newFarm(c), c.Make("season/", map[string]any{"name": "2026", "start_date": "2026-01-01", "end_date": "2026-12-31"})
	corners := ""
	for _, at := range rig.Square(200, 1)[0][0] {
		corners += fmt.Sprintf(`<PNT A="2" C="%f" D="%f"/>`, at.Y, at.X)
	}
	task := func(id int, status, product, day string) string {
		return fmt.Sprintf(`<TSK A="TSK%d" E="PFD1" G="%s"><TZN A="1"><PDV A="0006" B="20000" C="%s"/></TZN><TIM A="%sT08:00:00" D="4"/></TSK>`, id, status, product, day)
	}
	file := `<ISO11783_TaskData VersionMajor="4" VersionMinor="3" DataTransferOrigin="1"><CTP A="CTP1" B="winter_wheat"/>` +
		`<PFD A="PFD1" C="One" D="1" G="CTP1"><PLN A="1"><LSG A="1">` + corners + `</LSG></PLN></PFD><PDT A="PDT1" B="Urea"/><PDT A="PDT2" B="AHL 28"/><PDT A="PDT3" B="Herbicide"/>` +
		task(1, "4", "PDT1", "2026-03-01") + task(2, "4", "PDT2", "2026-04-01") + task(3, "4", "PDT3", "2026-05-01") + task(4, "1", "PDT1", "2026-02-01") + task(5, "4", "PDT1", "2023-05-01") + `</ISO11783_TaskData>`
	send := func(mapping string) (out appliedIn) {
		a := c.Upload(importPath(farm, "&season_id="+itoa(season)+"&mapping="+url.QueryEscape(mapping)), "application/xml", strings.NewReader(file))
		require.Equal(t, 200, a.Status, "%s", a.Body)
		a.Into(t, &out)
		return out
	}
	wrong := send(`{"product": "product", "external_id": "id"}`)
	require.EqualValues(t, 1, wrong.Failed, "with its field")
	require.Contains(t, fmt.Sprint(wrong.Features[0].Errors["product"]), `"AHL 28" is not a product in the catalog`)
	made := send(`{"external_id": "id", "product": {"property": "product", "values": {"Urea": "urea", "AHL 28": "uan", "Herbicide": null}}}`)
	require.Equal(t, []string{"create", "create", "skip", "skip", "skip"}, made.verdicts(), "%+v", made.Features)
	for at, why := range map[int]string{2: "leaves the product out", 3: "nothing says that it was done", 4: "2023-05-01"} {
		require.Contains(t, *made.Features[0].Fertilizations[at].Reason, why)
	}
	rows := c.Expect(200, "GET", "fertilization/?ordering=id", nil).Data(t)["results"].([]any)
	require.Len(t, rows, 2)
	second := rows[1].(map[string]any)
	require.Equal(t, []any{"uan", "AHL 28", "2026-04-01"}, []any{second["product"], second["product_name"], second["applied_on"]})
}

// appliedIn is a report of an import with what it states about applications.
type appliedIn struct {
	sownIn
	Features []struct {
		Fertilizations []struct {
			ID      *int64
			Verdict string
			Reason  *string
		}
		Errors map[string][]string
	}
}

func (a appliedIn) verdicts() (out []string) {
	for _, one := range a.Features[0].Fertilizations {
		out = append(out, one.Verdict)
	}
	return out
}

// sownIn is a report of an import with what it states about crops and about what it leaves out.
type sownIn struct {
	imported
	Features []struct {
		Verdict     string
		FieldID     *int64 `json:"field_id"`
		Cultivation *struct {
			ID       *int64
			Crop     string
			SeasonID int64 `json:"season_id"`
			Made     bool
		}
		Errors map[string][]string
	}
	LeftOut []struct {
		Kind    string
		Count   int64
		Samples []string
		Reason  string
	} `json:"left_out"`
}

func (s sownIn) left() map[string]int64 {
	out := map[string]int64{}
	for _, one := range s.LeftOut {
		out[one.Kind] = one.Count
	}
	return out
}

// The crops of task data become cultivations of the season that the request names, once; what is not imported is named with the reason.
func TestCropsOfTaskDataAreTaken(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		farm, season := newFarm(c), c.Make("season/", map[string]any{"name": "2026", "start_date": "2026-01-01", "end_date": "2026-12-31"})
		field := func(id, crop string, place int) string {
			corners := ""
			for _, at := range rig.Square(200, place)[0][0] {
				corners += fmt.Sprintf(`<PNT A="2" C="%f" D="%f"/>`, at.Y, at.X)
			}
			return `<PFD A="` + id + `" C="` + id + `" D="1" G="` + crop + `"><PLN A="1"><LSG A="1">` + corners + `</LSG></PLN><LSG A="5" B="A-B"><PNT A="2" C="1" D="1"/></LSG><PNT A="1" B="S1" C="1" D="1"/></PFD>`
		}
		file := `<ISO11783_TaskData VersionMajor="4" VersionMinor="3" DataTransferOrigin="1">` +
			`<CTP A="CTP1" B="Winterweizen"/><CTP A="CTP2" B="MAIZE_GRAIN"/><CTP A="CTP3" B="Triffids"/>` + field("PFD1", "CTP1", 1) + field("PFD2", "CTP2", 3) + field("PFD3", "CTP3", 5) + field("PFD4", "", 7) +
			`<PDT A="PDT1" B="Urea 46"/><PDT A="PDT2" B="AHL"/><TSK A="TSK1" B="Sow" G="1"/><DVC A="DVC1" B="Drill"/><WKR A="WKR1" B="Ada"/></ISO11783_TaskData>`
		send := func(more string, status int) (out sownIn) {
			a := c.Upload(importPath(farm, more), "application/xml", strings.NewReader(file))
			require.Equal(t, status, a.Status, "%s", a.Body)
			if status == 200 {
				a.Into(t, &out)
			}
			return out
		}
		plain := send("&preview=true", 200)
		require.Equal(t, map[string]int64{"crop": 3, "device": 1, "point": 4, "product": 2, "task": 1, "way": 4, "worker": 1}, plain.left())
		for _, one := range plain.LeftOut {
			require.NotEmpty(t, one.Reason, one.Kind)
			require.NotEmpty(t, one.Samples, one.Kind)
		}
		require.EqualValues(t, 4, plain.Created)
		chosen := "&season_id=" + itoa(season)
		look := send(chosen+"&preview=true", 200)
		require.Equal(t, []int64{3, 1}, []int64{look.Created, look.Failed})
		require.NotContains(t, look.left(), "crop")
		require.Contains(t, look.Features[2].Errors["crop"][0], `"Triffids" is not a crop in the catalog`)
		require.Nil(t, look.Features[0].Cultivation.ID)
		require.True(t, look.Features[0].Cultivation.Made)
		require.Nil(t, look.Features[3].Cultivation)
		require.Zero(t, c.Expect(200, "GET", "cultivation/", nil).Data(t)["count"])

		keyed := "&mapping=" + url.QueryEscape(`{"external_id": "id", "crop": {"property": "crop", "values": {"Winterweizen": "winter_wheat", "MAIZE_GRAIN": "maize_grain", "Triffids": null}}}`)
		made := send(chosen+keyed, 200)
		require.EqualValues(t, 4, made.Created, "%+v", made.Features)
		require.EqualValues(t, 2, c.Expect(200, "GET", "cultivation/?season="+itoa(season), nil).Data(t)["count"])
		require.NotNil(t, made.Features[1].Cultivation.ID)
		again := send(chosen+keyed, 200)
		require.EqualValues(t, 4, again.Skipped, "%+v", again.Features)
		require.Equal(t, made.Features[1].Cultivation.ID, again.Features[1].Cultivation.ID)
		require.False(t, again.Features[1].Cultivation.Made)

		// What was exported exists already; in another season the same crops are new, on fields that stay unchanged.
		exported := exported(c, farm, "isoxml")
		back := func(season int64) (out sownIn) {
			c.Upload(importPath(farm, "&season_id="+itoa(season)), mediaZip, bytes.NewReader(exported)).Into(t, &out)
			return out
		}
		require.EqualValues(t, 4, back(season).Skipped)
		next := c.Make("season/", map[string]any{"name": "2027", "start_date": "2027-01-01", "end_date": "2027-12-31"})
		later := back(next)
		require.Equal(t, []int64{2, 2}, []int64{later.Updated, later.Skipped}, "%+v", later.Features)
		require.EqualValues(t, 4, back(next).Skipped)

		send("&season_id=999999"+keyed, 400)
		theirs := s.Company(access.RoleOwner, 0).Make("season/", map[string]any{"name": "2026", "start_date": "2026-01-01", "end_date": "2026-12-31"})
		send("&season_id="+itoa(theirs)+keyed, 400)
		said := send("&mapping="+url.QueryEscape(`{"season_id": "id", "crop": {"value": "maize_grain"}}`), 200)
		require.Contains(t, said.Features[0].Errors["season_id"][0], "not the id of a season")
		require.EqualValues(t, 4, send("&map=crop:&map=external_id:id", 200).Skipped)
		c.Expect(400, "POST", importPath(farm, chosen), `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"a"},"geometry":null}]}`)
		key, _ := newKey(t, c, map[string]any{"slugs": []string{"field.*"}})
		refused := rig.Remote(t, s.URL, "").Upload(importPath(farm, chosen+"&api_key="+key), "application/xml", strings.NewReader(file))
		require.Equal(t, 403, refused.Status, "%s", refused.Body)
	})
}

var flags = regexp.MustCompile(`<PNT A="1" B="[^"]*"( C="[^"]*" D="[^"]*")`)

// placesOf returns the places of samples in an export of task data.
func placesOf(t *testing.T, c *rig.Client) (out []string) {
	t.Helper()
	for _, found := range flags.FindAllStringSubmatch(taskDataOf(t, c, ""), -1) {
		out = append(out, found[1])
	}
	slices.Sort(out)
	return out
}

// The exported points of a plan become a plan of another company: a custom one, at the same places.
func TestPointsOfTaskDataBecomeAPlan(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	s.Subscribe(other)
	ours, theirs := sampled(t, c), sampled(t, other)
	file := c.Expect(200, "GET", "field/export/?format=isoxml", nil).Body
	want := placesOf(t, c)
	require.Len(t, want, 8)
	require.NotEqual(t, want, placesOf(t, other))
	at := func(plan, more string) string { return "soil/stratification/sample-plan/" + plan + "/points/" + more }
	type made struct {
		MapUUID  string `json:"map_uuid"`
		IsCustom bool   `json:"is_custom"`
		Metadata struct {
			ProbabilitySample bool `json:"probability_sample"`
			NumberOfSamples   int  `json:"number_of_samples"`
		}
	}
	send := func(c *rig.Client, path, media string, body []byte) (out made) {
		a := c.Upload(path, media, bytes.NewReader(body))
		require.Equal(t, 200, a.Status, "%s", a.Body)
		a.Into(t, &out)
		return out
	}
	require.Equal(t, ours, send(c, at(ours, ""), mediaZip, file).MapUUID, "nothing differs")
	look := send(other, at(theirs, "?preview=true"), mediaZip, file)
	other.Expect(404, "GET", "soil/stratification/sample-plan/"+look.MapUUID+"/export/?format=csv", nil)
	placed := send(other, at(theirs, ""), mediaZip, file)
	require.Equal(t, look, placed)
	require.NotEqual(t, theirs, placed.MapUUID)
	require.True(t, placed.IsCustom)
	require.False(t, placed.Metadata.ProbabilitySample, "by hand")
	require.Equal(t, 8, placed.Metadata.NumberOfSamples)
	require.Equal(t, placed, send(other, at(theirs, ""), mediaZip, file), "the same file is the same plan")
	other.Expect(200, "POST", "soil/stratification/sample-plan/"+placed.MapUUID+"/save/", map[string]any{"name": "As sampled before"})
	require.Equal(t, want, placesOf(t, other), "where they were")

	one := want[0]
	alone := func(points string) []byte {
		return []byte(`<ISO11783_TaskData VersionMajor="4"><PFD A="PFD1" C="F" D="1">` + points + `</PFD></ISO11783_TaskData>`)
	}
	for name, body := range map[string][]byte{
		"no point": alone(""), "far away": alone(`<PNT A="1" B="S" C="1" D="1"/>`), "no degrees": alone(`<PNT A="1" B="S"/>`), "no place": alone(`<PNT A="1" C="91" D="1"/>`),
		"a zone without": alone(`<PNT A="1" B="S"` + one + `/>`), "no task data": []byte(`{}`), "a broken archive": []byte("PK"),
	} {
		a := other.Upload(at(theirs, ""), "application/octet-stream", bytes.NewReader(body))
		require.Equal(t, 400, a.Status, "%s: %s", name, a.Body)
	}
	require.Equal(t, 415, other.Upload(at(theirs, ""), "text/csv", strings.NewReader("a,b\n")).Status)
	require.Equal(t, 404, other.Upload(at(ours, ""), mediaZip, bytes.NewReader(file)).Status, "another company's plan")
	some := other.Upload(at(placed.MapUUID, "?preview=true"), mediaZip, bytes.NewReader(file)).Data(t)
	require.Equal(t, placed.MapUUID, some["map_uuid"], "it is there already")
}
