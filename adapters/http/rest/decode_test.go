package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBodiesThatAreRefused(t *testing.T) {
	r := newRig(t)
	const ok = `"name":"North","field_id":7`
	tests := []struct {
		name, body, code, details string
	}{
		{"not JSON", `{"name": North}`, "malformed_body", "line 1, column 10"},
		{"on the second line", "{\n \"name\": }", "malformed_body", "line 2, column 10"},
		{"empty", " ", "malformed_body", "empty"},
		{"cut short", `{"name":"No`, "malformed_body", "too early"},
		{"trailing data", `{` + ok + `}{}`, "malformed_body", "after the end"},
		{"trailing comma", `{` + ok + `,}`, "malformed_body", "column"},
		{"leading zero", `{` + ok + `,"count":01}`, "malformed_body", "zero"},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", "malformed_body", "UTF-8"},
		{"control character", "{\"name\":\"a\tb\"}", "malformed_body", "control"},
		{"half a surrogate", `{"name":"\ud800"}`, "malformed_body", "surrogate"},
		{"null character", `{"name":"a\u0000"}`, "malformed_body", "U+0000"},
		{"too deep", `{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "malformed_body", "64 levels"},
		{"an array where one object is expected", `[{` + ok + `}]`, "validation_failed", `{"non_field_errors":["Expected an object, got an array."]}`},
		{"a string", `"x"`, "validation_failed", `{"non_field_errors":["Expected an object, got a string."]}`},
		{"null", `null`, "validation_failed", `{"non_field_errors":["Expected an object, got null."]}`},
		{"repeated key", `{` + ok + `,"name":"South"}`, "validation_failed", `{"name":["This member is given more than once."]}`},
		{"repeated key, once escaped", `{` + ok + `,"n\u0061me":"South"}`, "validation_failed", `{"name":["This member is given more than once."]}`},
		{"repeated key deep inside", `{` + ok + `,"boundary":{"a":[0,{"b":1,"b":2}]}}`, "validation_failed", `{"boundary":{"a":{"1":{"b":["This member is given more than once."]}}}}`},
		{"a number beyond all range", `{` + ok + `,"area_ha":1e400}`, "validation_failed", `{"area_ha":["The number is out of range."]}`},
		{"the same in an unknown member", `{` + ok + `,"else":[-1e400]}`, "validation_failed", `{"else":{"0":["The number is out of range."]}}`},
		{"integer overflow", `{"name":"N","field_id":9223372036854775808}`, "validation_failed", `{"field_id":["The number is out of range."]}`},
		{"overflow of 32 bits", `{` + ok + `,"count":2147483648}`, "validation_failed", `{"count":["The number is out of range."]}`},
		{"a float for an integer", `{"name":"N","field_id":3.0}`, "validation_failed", `{"field_id":["Write a whole number, without a decimal point or an exponent."]}`},
		{"wrong type", `{"name":"N","field_id":"7"}`, "validation_failed", `{"field_id":["Expected an integer, got a string."]}`},
		{"several at once", `{"name":"","area_ha":-1}`, "validation_failed", `{"area_ha":["Must be greater than 0."],"field_id":["This field is required."],"name":["This field may not be blank."]}`},
		{"null for a required member", `{"name":null,"field_id":7}`, "validation_failed", `{"name":["This field is required."]}`},
		{"names are told apart by case", `{"Name":"N","field_id":7}`, "unknown_name", `{"Name":["This name is not known here: did you mean \"name\"?"],"name":["This field is required."]}`},
		{"an unknown name below a member, with what else is wrong", `{"name":"","field_id":7,"soil":{"texture":"clay","pH":6},"colour":"red"}`, "unknown_name",
			`{"name":["This field may not be blank."],"soil":{"pH":["This name is not known here: did you mean \"ph\"?"]},"colour":["This name is not known here."]}`},
		{"missing below a member", `{` + ok + `,"soil":{}}`, "validation_failed", `{"soil":{"texture":["This field is required."]}}`},
		{"wrong below a member", `{` + ok + `,"soil":{"texture":"LOAM","ph":15}}`, "validation_failed", `{"soil":{"ph":["Must be at most 14."],"texture":["\"LOAM\" is not a texture in lower case."]}}`},
		{"not of the choice", `{` + ok + `,"tenure":"stolen"}`, "validation_failed", `{"tenure":["\"stolen\" is not one of: owned, leased."]}`},
		{"no day of the calendar", `{` + ok + `,"sown_on":"2025-02-30"}`, "validation_failed", `{"sown_on":["2025-02-30 is not a day of the calendar."]}`},
		{"no date", `{` + ok + `,"sown_on":"1.5.2025"}`, "validation_failed", `{"sown_on":["Write a date as YYYY-MM-DD, for instance 2025-04-30."]}`},
		{"no object", `{` + ok + `,"boundary":[1]}`, "validation_failed", `{"boundary":["Expected an object, got an array."]}`},
		{"no e-mail address", `{` + ok + `,"email":"Ana <a@b.c>"}`, "validation_failed", `{"email":["This is not an e-mail address."]}`},
		{"too long", `{"name":"123456789012345678901","field_id":7}`, "validation_failed", `{"name":["Give at most 20 characters; this has 21."]}`},
		{"too many items", `{` + ok + `,"tags":["a","b","c","d"]}`, "validation_failed", `{"tags":["Give at most 3."]}`},
		{"an item twice", `{` + ok + `,"tags":["a","a"]}`, "validation_failed", `{"tags":["An item is given more than once."]}`},
		{"wrong in an embedded part", `{` + ok + `,"external_id":"123456"}`, "validation_failed", `{"external_id":["Give at most 5 characters; this has 6."]}`},
		{"a wrong item", `{` + ok + `,"tags":["a",2]}`, "validation_failed", `{"tags":{"1":["Expected a string, got a number."]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := r.ask("POST", base+"echo/", tt.body)
			require.Equal(t, http.StatusBadRequest, w.Code, w.Body.String())
			require.Equal(t, tt.code, object(t, w)["code"])
			if strings.HasPrefix(tt.details, "{") {
				require.JSONEq(t, tt.details, details(t, w))
			} else {
				require.Contains(t, details(t, w), tt.details)
				require.Contains(t, details(t, w), "non_field_errors")
			}
		})
	}
}

func TestBodiesThatAreAccepted(t *testing.T) {
	r := newRig(t)
	tests := []struct{ name, body, data string }{
		{"the least", `{"name":"North","field_id":7}`, `{"name":"North","field_id":7}`},
		{"white space around", " \n{\"name\":\"North\", \"field_id\" : 7 }\r\n", `{"name":"North","field_id":7}`},
		{"null for optional members", `{"name":"N","field_id":7,"area_ha":null,"tenure":null,"soil":null,"tags":null}`, `{"name":"N","field_id":7}`},
		{"read-only members are ignored", `{"name":"N","field_id":7,"uuid":5}`, `{"name":"N","field_id":7}`},
		{"an object passes as it is", `{"name":"N","field_id":7,"boundary":{"type":"Point","coordinates":[1.10,2e0]}}`, `{"name":"N","field_id":7,"boundary":{"type":"Point","coordinates":[1.10,2e0]}}`},
		{"escapes", `{"name":"\u00e9\ud83c\udf3e\"","field_id":7}`, `{"name":"é🌾\"","field_id":7}`},
		{"everything", `{"name":"N","field_id":7,"area_ha":1.5,"tenure":"owned","sown_on":"2024-02-29","soil":{"texture":"clay loam","ph":6.5},"tags":["a","b"],"irrigate":false,"count":-3,"email":"a@b.example","external_id":"x-1"}`,
			`{"name":"N","field_id":7,"area_ha":1.5,"tenure":"owned","sown_on":"2024-02-29","soil":{"texture":"clay loam","ph":6.5},"tags":["a","b"],"irrigate":false,"count":-3,"email":"a@b.example","external_id":"x-1"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := r.ask("POST", base+"echo/", tt.body)
			require.Equal(t, 200, w.Code, w.Body.String())
			data, err := json.Marshal(object(t, w)["data"])
			require.NoError(t, err)
			require.JSONEq(t, tt.data, string(data))
		})
	}
}

func TestContentTypes(t *testing.T) {
	r := newRig(t)
	tests := []struct {
		name, value string
		status      int
	}{
		{"Content-Type", "application/json", 200},
		{"Content-Type", "application/json; charset=UTF-8", 200},
		{"Content-Type", "application/vnd.tilth+json", 200},
		{"Content-Type", "", 200},
		{"Content-Type", "application/x-www-form-urlencoded", 415},
		{"Content-Type", "text/json", 415},
		{"Content-Type", "nonsense/;;", 415},
		{"Content-Type", "application/json; charset=latin1", 415},
		{"Content-Encoding", "gzip", 415},
		{"Content-Encoding", "identity", 200},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.value, func(t *testing.T) {
			w := r.ask("POST", base+"echo/", `{"name":"N","field_id":7}`, header(tt.name, tt.value))
			require.Equal(t, tt.status, w.Code, w.Body.String())
			if tt.status == 415 {
				require.Equal(t, "unsupported_media_type", object(t, w)["code"])
			}
		})
	}
}

func TestBodySize(t *testing.T) {
	r := newRig(t)
	pad := func(size int) string {
		const head, tail = `{"name":"N","field_id":7,"boundary":{"else":"`, `"}}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	require.Equal(t, 200, r.ask("POST", base+"echo/", pad(8<<20)).Code)
	for _, length := range []int64{8<<20 + 1, -1} { // announced, and chunked
		w := r.ask("POST", base+"echo/", pad(8<<20+1), func(req *http.Request) { req.ContentLength = length })
		require.Equal(t, 413, w.Code)
		require.Equal(t, "body_too_large", object(t, w)["code"])
	}
}

func TestBulk(t *testing.T) {
	r := newRig(t)
	items := func(n int, at map[int]string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = `{"name":"N","field_id":7}`
			if s, ok := at[i]; ok {
				parts[i] = s
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	tests := []struct {
		name, body, details string
		status              int
	}{
		{"one", `{"name":"N","field_id":7}`, "", 200},
		{"a thousand", items(1000, nil), "", 200},
		{"a thousand and one", items(1001, nil), `{"non_field_errors":["Send at most 1000 items in one request."]}`, 400},
		{"none", `[ ]`, `{"non_field_errors":["Send at least one item."]}`, 400},
		{"a bad item", items(5, map[int]string{3: `{"name":"N"}`}), `{"3":{"field_id":["This field is required."]}}`, 402},
		{"an item that is no object", items(2, map[int]string{1: `7`}), `{"1":{"non_field_errors":["Expected an object, got a number."]}}`, 402},
		{"all errors at once, of shape and of business", items(4, map[int]string{1: `{"field_id":7}`, 2: `{"name":"N","field_id":13}`}),
			`{"1":{"name":["This field is required."]},"2":{"field_id":["No field of your company has the id 13."]}}`, 402},
		{"a repeated key is a matter of the body", items(2, map[int]string{1: `{"name":"N","name":"M"}`}), `{"1":{"name":["This member is given more than once."]}}`, 400},
		{"a single bad object", `{"name":"N"}`, `{"field_id":["This field is required."]}`, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := r.ask("POST", base+"plot/", tt.body)
			require.Equal(t, tt.status, w.Code, w.Body.String())
			if tt.details != "" {
				require.JSONEq(t, tt.details, details(t, w))
			}
		})
	}
	many := object(t, r.ask("POST", base+"plot/", items(3, nil)))["data"]
	require.Len(t, many, 3)
	single := object(t, r.ask("POST", base+"plot/", items(1, nil)))["data"]
	require.IsType(t, []any{}, single, "an array of one is answered with an array")
}

func TestPatchLaysMembersOverTheRecord(t *testing.T) {
	r := newRig(t) // the current record is {name: North, field_id: 7, area_ha: 2.5}
	tests := []struct {
		name, body string
		status     int
		answer     string
	}{
		{"nothing", `{}`, 200, `"name":"North"`},
		{"a member", `{"name":"South"}`, 200, `"name":"South"`},
		{"the rest is kept", `{"name":"South"}`, 200, `"owner":{`},
		{"null clears an optional member", `{"area_ha":null}`, 200, `"owner":null`},
		{"null does not clear a required one", `{"name":null}`, 400, `{"name":["This field is required."]}`},
		{"the whole is validated", `{"area_ha":-3}`, 400, `"area_ha":["Must be greater than 0."]`},
		{"no object", `[]`, 400, `Expected an object`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := r.ask("PATCH", base+"plot/1/", tt.body)
			require.Equal(t, tt.status, w.Code, w.Body.String())
			require.Contains(t, w.Body.String(), tt.answer)
		})
	}
	require.Equal(t, 400, r.ask("PUT", base+"plot/1/", `{"name":"South"}`).Code, "PUT takes the whole record")
}

// What is accepted comes back the same when it is sent again.
func TestAcceptedBodiesRoundTrip(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		area := rapid.Float64Range(0.001, 10000).Draw(t, "area")
		p := plot{
			Name: rapid.StringMatching(`[^\x00]{1,20}`).Draw(t, "name"), FieldID: rapid.Int64Min(1).Draw(t, "field"), AreaHa: &area,
			Tags:  rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z{}\[\],:"\\]{0,8}`), 0, 3, rapid.ID[string]).Draw(t, "tags"),
			Count: rapid.Int32().Draw(t, "count"), Soil: &soil{Texture: rapid.StringMatching(`[a-z ]{1,10}`).Draw(t, "texture")},
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if first := echo(t, r, string(text)); first != echo(t, r, first) {
			t.Fatalf("%s became %s", text, first)
		} else {
			var back plot
			if err := json.Unmarshal([]byte(first), &back); err != nil {
				t.Fatal(err)
			}
			if again, _ := json.Marshal(back); string(again) != string(text) {
				t.Fatalf("%s became %s", text, again)
			}
		}
	})
}

func echo(t interface{ Fatalf(string, ...any) }, r *rig, body string) string {
	w := r.ask("POST", base+"echo/", body)
	if w.Code != 200 {
		t.Fatalf("%d %s for %s", w.Code, w.Body, body)
	}
	var out struct{ Data json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%v", err)
	}
	return string(out.Data)
}

func FuzzDecodeBody(f *testing.F) {
	for _, seed := range []string{
		`{"name":"North","field_id":7}`, `[{"name":"N","field_id":1e2}]`, `{"a":{"b":[1,2,{"c":null}]},"a":1}`, `{"name":"\ud83c\udf3e","soil":{"texture":"x"}}`,
		`{"name":"N","field_id":7,"boundary":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}`, "\xff", `{"x":-1e999}`, `"\u12`, `[[[`, `{"tags":["a" ,"b"]}`,
	} {
		f.Add(seed)
	}
	r := newRig(&testing.T{})
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"echo/", "plot/"} {
			req := httptest.NewRequest("POST", "http://tilth.test"+base+path, strings.NewReader(body))
			req.Header.Set("Authorization", "Bearer good")
			w := httptest.NewRecorder()
			r.api.ServeHTTP(w, req)
			switch w.Code {
			case 200:
				require.True(t, json.Valid([]byte(body)), "accepted what is no JSON: %q", body)
			case 400, 402:
				object(t, w)
			default:
				t.Fatalf("%d for %q", w.Code, body)
			}
			if w.Code == 200 && path == "echo/" {
				first := echo(t, r, body)
				require.Equal(t, first, echo(t, r, first))
			}
		}
	})
}
