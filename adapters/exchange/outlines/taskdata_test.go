package outlines_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/exchange/outlines"
	"tilth/core/farm"
	"tilth/core/fieldmap"
	"tilth/core/record"
	"tilth/ports"
)

const someUUID = "0f8fad5b-d9cb-469f-a165-70867728950e"

func someParts(t testing.TB) []ports.PartField {
	holding := farm.Farm{Meta: record.Meta{ID: 3, CompanyID: 2}, Name: "Hof & Söhne", Address: "Weg 1", PostalCode: "12345-678901", City: "Ort", Country: "germany"}
	field := func(id int64, name, key string, outline string) farm.Field {
		out := farm.Field{Meta: record.Meta{ID: id, CompanyID: 2, Company: "Gut <A>"}, UUID: someUUID, Name: name, Farm: record.Ref{ID: 3, Name: holding.Name}, External: record.External{ExternalID: key}}
		if outline != "" {
			out.Boundary = boundary(t, outline)
		}
		return out
	}
	second := field(8, strings.Repeat("Schlag ", 10), strings.Repeat("k", 40), nested)
	second.UUID = ""
	return []ports.PartField{
		{Field: field(7, "A \"b\"", "X-1", withHole), Farm: holding, Crop: record.Ref{ID: 29, Name: "Common wheat"}, Points: []ports.TaskPoint{{Name: "Z1-01"}}},
		{Field: second, Farm: holding},
		{Field: field(9, "", "", ""), Farm: holding},
	}
}

func writeTaskData(t testing.TB, products ...string) []byte {
	t.Helper()
	var spread []ports.TaskInput
	for i, name := range products {
		on := time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC)
		spread = append(spread, ports.TaskInput{ID: int64(i + 1), Product: name, On: &on, Planned: i > 0, Rate: 150.5, Unit: fieldmap.UnitOfRate(i > 0)})
	}
	var out bytes.Buffer
	require.NoError(t, exchange.OutlineWriter{}.WriteTaskData(t.Context(), &out, func(yield func(ports.PartField, error) bool) {
		for i, f := range someParts(t) {
			if i == 0 {
				f.Spread = spread
			}
			if !yield(f, nil) {
				return
			}
		}
	}))
	return out.Bytes()
}

func TestTaskDataIsReadBack(t *testing.T) {
	t.Parallel()
	written := writeTaskData(t, "Urea 46")
	require.Equal(t, written, writeTaskData(t, "Urea 46"), "the same bytes")
	got := mustRead(t, outlines.MediaZip, file(written))
	require.Len(t, got, 3)
	require.Equal(t, map[string]string{
		"id": "PFD7", "code": "X-1", "name": `A "b"`, "area_m2": strconv.FormatInt(someParts(t)[0].Field.AreaM2(), 10), "customer": "Gut <A>", "farm": "Hof & Söhne", "farm_id": "FRM3",
		"crop": "Common wheat", "variety": "", "uuid": someUUID, "external_id": "X-1", "product": "Urea 46",
	}, got[0].Attributes)
	require.Equal(t, strings.Repeat("k", 40), got[1].Attributes["external_id"])
	require.Empty(t, got[1].Attributes["code"], "half a key is none")
	require.Equal(t, "Schlag Schlag Schlag Schlag Schl", got[1].Attributes["name"])
	require.True(t, got[1].Cut["name"])
	require.Equal(t, "PFD9", got[2].Attributes["name"])
	require.Equal(t, &farm.Farm{Address: "Weg 1", PostalCode: "12345-6789", City: "Ort", Country: "germany"}, got[0].Farm)
	require.Nil(t, got[2].Boundary)
	for i, f := range someParts(t)[:2] {
		require.NoError(t, got[i].Err)
		require.Equal(t, f.Field.Boundary.Geometry(), got[i].Boundary.Geometry())
	}
	alone := mustRead(t, "", file(unzipped(t, written, "TASKDATA/TASKDATA.XML")))
	require.Len(t, alone, 3)
	require.Empty(t, alone[0].Attributes["uuid"], "the list of links is another file")
	require.NotNil(t, alone[0].Boundary)
}

// Farms have the address of their own or else of their customer, in a country that exists, and their names in full where Tilth's list
// of links has them.
func TestFarmsOfTaskData(t *testing.T) {
	t.Parallel()
	foreign := `<ISO11783_TaskData VersionMajor="4"><CTR A="CTR1" B="Meier" D="Street 1" F="1010" G="Wien" I="at"/><FRM A="FRM1" B="Own" F="Graz" H="Nowhere" I="CTR1"/>` +
		`<FRM A="FRM2" B="Farm with a name of 32 characters" I="CTR1"/><FRM A="FRM3" C="` + strings.Repeat("x", 65) + `"/>` +
		`<PFD A="PFD1" C="a" D="1" F="FRM1"/><PFD A="PFD2" C="b" D="1" F="FRM2"/><PFD A="PFD3" C="c" D="1" F="FRM3"/><PFD A="PFD4" C="d" D="1"/></ISO11783_TaskData>`
	got := mustRead(t, outlines.MediaXML, text(foreign))
	require.Equal(t, &farm.Farm{City: "Graz"}, got[0].Farm)
	require.Equal(t, &farm.Farm{Address: "Street 1", PostalCode: "1010", City: "Wien", Country: "austria"}, got[1].Farm)
	require.Equal(t, []string{"Own", "FRM3", ""}, []string{got[0].Attributes["farm"], got[2].Attributes["farm"], got[3].Attributes["farm"]})
	require.Equal(t, []bool{false, true}, []bool{got[0].Cut["farm"], got[1].Cut["farm"]})
	require.Nil(t, got[2].Farm)
	require.Nil(t, got[3].Farm)

	long := strings.Repeat("A farm ", 10) + "& Co"
	var out bytes.Buffer
	require.NoError(t, exchange.OutlineWriter{}.WriteTaskData(t.Context(), &out, func(yield func(ports.PartField, error) bool) {
		f := someParts(t)[0]
		f.Farm.Name = long
		yield(f, nil)
	}))
	back := mustRead(t, outlines.MediaZip, file(out.Bytes()))[0]
	require.Equal(t, long, back.Attributes["farm"])
	require.False(t, back.Cut["farm"])
}

// What was applied is read back as it was written, including what the main file has no place for, from the list of links.
func TestApplicationsAreReadBack(t *testing.T) {
	t.Parallel()
	on, long := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), strings.Repeat("a long name ", 4)+"A"
	inputs := []ports.TaskInput{
		{ID: 1, ExternalID: strings.Repeat("k", 40), Product: "Urea", Key: "urea", Sown: "2025-10-01/2026-07-31/Wheat", On: &on, Rate: 150.5, Unit: fieldmap.UnitOfRate(false)},
		{ID: 2, Product: long, Typed: long, Key: "uan", DensityKgPerL: new(1.28), On: &on, Planned: true, Rate: 300, Unit: fieldmap.UnitOfRate(true)},
		{ID: 3, Product: "Lime"},
	}
	var out bytes.Buffer
	require.NoError(t, exchange.OutlineWriter{}.WriteTaskData(t.Context(), &out, func(yield func(ports.PartField, error) bool) {
		f := someParts(t)[0]
		f.Spread = inputs
		yield(f, nil)
	}))
	got := mustRead(t, outlines.MediaZip, file(out.Bytes()))[0].Applied
	for i := range got {
		require.Equal(t, "TSK"+strconv.Itoa(i+1), got[i].Task)
		got[i].Task, got[i].ID = "", int64(i+1)
	}
	inputs[1].Product, inputs[1].Cut = strings.TrimSpace(long[:32]), true
	require.Equal(t, inputs, got)

	// Another program's: a rate for two zones, a grid, a task that was broken off, one without a product or of no field are skipped.
	task := func(id, more, inside string) string {
		return `<TSK A="TSK` + id + `" B="T` + id + `" ` + more + `>` + inside + `</TSK>`
	}
	const zone, urea, day = `<TZN A="1"><PDV A="0006" B="20000" C="PDT1"/></TZN>`, `<PAN A="PDT1"/>`, `<TIM A="2026-03-02T07:30:00.000+01:00" D="4"/>`
	foreign := `<ISO11783_TaskData VersionMajor="4"><PFD A="PFD1" C="One" D="1"/><PDT A="PDT1" B="Urea 46"/><PDT A="PDT2" B="Seed"/><PDT A="PDT3" B="AHL" H="1280000"/>` +
		task("1", `E="PFD1" G="4"`, zone+urea+`<TIM A="2026-03-01T00:00:00" D="1"/>`+day) + task("2", `E="PFD1" G="4"`, zone+zone+urea+day) +
		task("3", `E="PFD1" G="4"`, `<GRD/>`+urea+day) + task("4", `E="PFD1" G="6"`, zone+urea+day) + task("5", `E="PFD1" G="4"`, day) + task("6", `G="4"`, zone+urea+day) +
		task("7", `E="PFD9" G="4"`, zone+urea+day) + task("8", `E="PFD1" G="4"`, `<PAN A="PDT9"/>`) +
		task("9", `E="PFD1" G="4"`, `<TZN A="1"><PDV A="0006" B="100" C="PDT1"/><PDV A="0001" B="2000000" C="PDT3"/></TZN>`) + `</ISO11783_TaskData>`
	read := mustRead(t, outlines.MediaXML, text(foreign))[0].Applied
	require.Len(t, read, 3)
	second := on.AddDate(0, 0, 1)
	require.Equal(t, ports.TaskInput{Task: "TSK1", Product: "Urea 46", On: &second, Rate: 200, Unit: fieldmap.UnitOfRate(false)}, read[0])
	require.Equal(t, []float64{1, 200}, []float64{read[1].Rate, read[2].Rate}, "two products of a task")
	require.Equal(t, 1.28, *read[2].DensityKgPerL)
	found, err := reader().Survey(t.Context(), outlines.MediaXML, text(foreign))
	require.NoError(t, err)
	counts := map[string]int64{}
	for _, l := range found.LeftOut {
		counts[l.Kind] = l.Count
	}
	require.Equal(t, map[string]int64{"application": 3, "product": 1, "task": 7}, counts)
}

func unzipped(t testing.TB, archive []byte, name string) []byte {
	t.Helper()
	var out []byte
	in := archiveOf(t, archive)
	for _, f := range in.File {
		if f.Name == name {
			r, err := f.Open()
			require.NoError(t, err)
			out, err = io.ReadAll(r)
			require.NoError(t, err)
		}
	}
	return out
}

// What is written keeps the rules of the schema of version 4 that can be checked without it: ids, lengths, decimals, and that
// every reference leads to a record.
func TestTaskDataKeepsTheRules(t *testing.T) {
	t.Parallel()
	written := writeTaskData(t, "Urea 46", strings.Repeat("long name ", 9))
	id, decimal := regexp.MustCompile(`^(CTR|FRM|PFD|CTP|PDT|TSK|LGP)[1-9][0-9]{0,9}$`), regexp.MustCompile(`^-?\d{1,3}\.\d{9}$`)
	ids, references, seen := map[string]bool{}, []string{}, map[string]int{}
	for _, name := range []string{"TASKDATA/TASKDATA.XML", "TASKDATA/LINKLIST.XML"} {
		dec := xml.NewDecoder(bytes.NewReader(unzipped(t, written, name)))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			seen[start.Name.Local]++
			at := map[string]string{}
			for _, a := range start.Attr {
				at[a.Name.Local] = a.Value
			}
			switch tag := start.Name.Local; tag {
			case "CTR", "FRM", "PFD", "CTP", "PDT", "TSK":
				require.Regexp(t, id, at["A"])
				require.False(t, ids[at["A"]], "an id is there once")
				ids[at["A"]] = true
				designator := map[bool]string{true: at["C"], false: at["B"]}[tag == "PFD"]
				require.NotEmpty(t, designator)
				require.LessOrEqual(t, len([]rune(designator)), 32)
				require.LessOrEqual(t, len([]rune(at["B"])), 32)
				for _, ref := range map[string][]string{"PFD": {"E", "F", "G"}, "FRM": {"I"}, "TSK": {"C", "D", "E"}}[tag] {
					if at[ref] != "" {
						references = append(references, at[ref])
					}
				}
				if tag == "FRM" {
					require.LessOrEqual(t, len(at["E"]), 10, "a postal code")
				}
			case "PDV":
				require.Regexp(t, `^(0006 15050|0001 1505000)$`, at["A"]+" "+at["B"])
				references = append(references, at["C"])
			case "PAN":
				references = append(references, at["A"])
			case "TIM", "ASP":
				require.Regexp(t, `^2026-03-0(1T00:00:00 4|2T00:00:00 1)$`, at["A"]+" "+at["D"], "done, and planned")
			case "PNT":
				require.Regexp(t, decimal, at["C"])
				require.Regexp(t, decimal, at["D"])
			case "LNK":
				references = append(references, at["A"])
			case "ISO11783_TaskData":
				require.Equal(t, []string{"4", "1"}, []string{at["VersionMajor"], at["DataTransferOrigin"]})
			}
		}
	}
	for _, ref := range references {
		require.True(t, ids[ref], ref)
	}
	require.Equal(t, map[string]int{
		"ISO11783_TaskData": 1, "CTR": 1, "FRM": 1, "PFD": 3, "PLN": 3, "LSG": 5, "PNT": seen["PNT"], "CTP": 1, "PDT": 2, "AFE": 1, "TSK": 2, "TZN": 2, "PDV": 2, "TIM": 2, "PAN": 2, "ASP": 2, "ISO11783LinkList": 1, "LGP": 2, "LNK": seen["LNK"],
	}, seen)
}

// taskXML is a file as terminals send it back: version 3, with an outline of several outer rings in one polygon, and open rings.
const taskXML = `<?xml version="1.0" encoding="UTF-8"?><ISO11783_TaskData VersionMajor="3"><FRM A="FRM1" B="Hof"/>
<PFD A="PFD1" B="12" C="Two parts" D="1" F="FRM1" G="CTP1"><PLN A="2"><LSG A="1"><PNT A="2" C="1" D="1"/></LSG></PLN>
<LSG A="5"><PNT A="6" C="50" D="10"/><PNT A="7" C="50.1" D="10"/></LSG><PNT A="1" C="50" D="10"/>
<PLN A="1"><LSG A="2"><PNT A="2" C="50.002" D="10.002"/><PNT A="2" C="50.002" D="10.004"/><PNT A="2" C="50.004" D="10.004"/></LSG>
<LSG A="1"><PNT A="2" C="50" D="10"/><PNT A="2" C="50" D="10.01"/><PNT A="2" C="50.01" D="10.01"/><PNT A="2" C="50.01" D="10"/></LSG>
<LSG A="1"><PNT A="2" C="51" D="10"/><PNT A="2" C="51" D="10.01"/><PNT A="2" C="51.01" D="10.01"/></LSG></PLN></PFD>
<PFD A="PFD2" C="Main" D="1"><PLN A="9"><LSG A="1"><PNT A="2" C="50" D="10"/><PNT A="2" C="50" D="10.01"/><PNT A="2" C="50.01" D="10.01"/></LSG></PLN></PFD>
<PFD A="PFD3" C="Binary" D="1"><PLN A="1"><LSG A="1"><PNT A="2" J="PNT00001"/></LSG></PLN></PFD>
<CTP A="CTP1" B="Wheat"/><TSK A="TSK1" G="1"/></ISO11783_TaskData>`

func TestTaskDataOfTerminals(t *testing.T) {
	t.Parallel()
	got := mustRead(t, "", text(taskXML))
	require.Len(t, got, 3)
	require.Equal(t, []string{"Two parts", "Hof", "Wheat", "12"}, []string{got[0].Attributes["name"], got[0].Attributes["farm"], got[0].Attributes["crop"], got[0].Attributes["code"]})
	require.NoError(t, got[0].Err)
	require.Len(t, got[0].Boundary.Geometry(), 2)
	require.Equal(t, 10, got[0].Boundary.Vertices())
	require.NotNil(t, got[1].Boundary)
	require.Contains(t, wrong(t, got[2]), "no degrees in C and D")

	archive := writeTaskData(t)
	external := rezip(t, archive, map[string][]byte{
		"TASKDATA/TASKDATA.XML": []byte(`<ISO11783_TaskData><XFR A="PFD00001" B="1"/></ISO11783_TaskData>`),
		"TASKDATA/PFD00001.xml": []byte(`<XFC><PFD A="PFD7" C="Outside" D="0"/></XFC>`),
	})
	outside := mustRead(t, "", file(external))
	require.Equal(t, "Outside", outside[0].Attributes["name"])
	require.Equal(t, someUUID, outside[0].Attributes["uuid"])
	for name, c := range map[string]struct{ main, says string }{
		"another root":    {`<kml/>`, "outermost element"},
		"cut off":         {`<ISO11783_TaskData><PFD A="PFD1"`, "malformed"},
		"a missing file":  {`<ISO11783_TaskData><XFR A="PFD00009" B="1"/></ISO11783_TaskData>`, "PFD00009.XML"},
		"a deep one":      {`<ISO11783_TaskData>` + strings.Repeat("<PFD>", 100), "nested more than 64"},
		"another charset": {`<?xml version="1.0" encoding="EBCDIC"?><ISO11783_TaskData/>`, "UTF-8"},
	} {
		_, err := readAll(t, outlines.MediaZip, file(rezip(t, archive, map[string][]byte{"TASKDATA/TASKDATA.XML": []byte(c.main)})))
		require.Contains(t, refusal(t, err), c.says, name)
	}
	many := strings.Repeat(`<PNT A="2" C="50" D="10"/>`, 20_000)
	large := mustRead(t, outlines.MediaXML, text(`<ISO11783_TaskData><PFD A="PFD1" C="x" D="0"><PLN A="1"><LSG A="1">`+many+`</LSG></PLN></PFD></ISO11783_TaskData>`))
	require.Contains(t, wrong(t, large[0]), "more than 10000 vertices")
}

func FuzzTaskData(f *testing.F) {
	f.Add([]byte(taskXML))
	f.Add(unzipped(f, writeTaskData(f), "TASKDATA/TASKDATA.XML"))
	fuzz(f, outlines.MediaXML)
}

// FuzzTaskLinks puts the fuzz into the list of links of an archive.
func FuzzTaskLinks(f *testing.F) {
	archive := writeTaskData(f)
	f.Add(unzipped(f, archive, "TASKDATA/LINKLIST.XML"))
	f.Fuzz(func(t *testing.T, links []byte) {
		if links == nil {
			return
		}
		for _, err := range reader().Read(t.Context(), outlines.MediaZip, file(rezip(t, archive, map[string][]byte{"TASKDATA/LINKLIST.XML": links}))) {
			if err != nil {
				refusal(t, err)
			}
		}
	})
}
