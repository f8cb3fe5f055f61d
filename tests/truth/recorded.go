package truth

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// recorded is the folder into which successful answers are recorded, as examples of the document (make answers): one
// per file, by the id of its operation. A file that exists at the start is left as it is.
var recorded = sync.OnceValue(func() map[string]bool {
	kept := map[string]bool{}
	names, _ := filepath.Glob(filepath.Join(os.Getenv("TILTH_ANSWERS"), "*.json"))
	for _, name := range names {
		kept[strings.TrimSuffix(filepath.Base(name), ".json")] = true
	}
	return kept
})

var recording sync.Mutex

// The size of an example, in bytes, and the number of values that its lists keep.
const (
	maxShown   = 16000
	fewObjects = 2
	fewValues  = 4
	largeItem  = 300 // bytes of an object that alone represents its kind
)

// record keeps an answer as the example of its operation, if it shows more than the previous one: the most members with
// values, in the shortest lists. What differs in every run (addresses, tokens) is replaced.
func (o *operation) record(a Answer, place, kind string) {
	folder := os.Getenv("TILTH_ANSWERS")
	if folder == "" || recorded()[o.id] {
		return
	}
	text := bytes.TrimSpace(a.Body)
	if !strings.HasSuffix(kind, "json") || kind == jsonLines {
		lines := strings.SplitAfterN(string(a.Body), "\n", 4)
		text, _ = json.Marshal(strings.Join(lines[:min(len(lines), 3)], ""))
	} else if short := shortened(text, false); o.allows(place, kind, short) {
		if text = short; len(text) > maxShown {
			if short = shortened(text, true); o.allows(place, kind, short) {
				text = short
			}
		}
	}
	text = replaced(text)
	if len(text) > maxShown || bytes.Contains(text, []byte(os.TempDir())) {
		return
	}
	recording.Lock()
	defer recording.Unlock()
	name := filepath.Join(folder, o.id+".json")
	before, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) || said(before) >= said(text) {
		return
	}
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return
	}
	_ = os.WriteFile(name, append(out.Bytes(), '\n'), fs.FileMode(0o644)) // if this fails, it is recorded another time
}

func (o *operation) allows(place, kind string, text []byte) bool {
	schema, err := o.schemas.of(place + "/content/" + pointer(kind) + "/schema")
	if err != nil {
		return false
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return err == nil && schema.Validate(value) == nil
}

var (
	addresses = regexp.MustCompile(`http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]+`)
	minted    = regexp.MustCompile(`("(?:secret|client_secret|token|key)": ?")((?:whsec_|tilth_)?)([A-Za-z0-9_.+/=-]{20,})"`)
	tokens    = regexp.MustCompile(`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`)
)

func replaced(text []byte) []byte {
	text = addresses.ReplaceAll(text, []byte("https://tilth.example"))
	text = minted.ReplaceAll(text, []byte(`${1}${2}c2hvd24gaW4gZXhhbXBsZXMgb25seSwgYW5kIG5v"`))
	return tokens.ReplaceAll(text, []byte("eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl"))
}

// said counts the members of a JSON text that have a value.
func said(text []byte) int {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return 0
	}
	return values(value)
}

func values(value any) int {
	switch of := value.(type) {
	case nil:
		return 0
	case map[string]any:
		n := 1
		for _, member := range of {
			n += values(member)
		}
		return n
	case []any:
		if len(of) == 0 {
			return 0
		}
		return 1 + values(of[0]) // more of the same shows no more
	case string:
		if of == "" {
			return 0
		}
	}
	return 1
}

// shortened returns a JSON text in which lists have few values, and members keep their order; if sparse, objects with
// many objects keep few of these, too.
func shortened(text jsontext.Value, sparse bool) jsontext.Value {
	switch text.Kind() {
	case jsontext.KindBeginObject:
		var out bytes.Buffer
		in := jsontext.NewDecoder(bytes.NewReader(text))
		_, _ = in.ReadToken()
		_ = out.WriteByte('{')
		objects := 0
		for in.PeekKind() == jsontext.KindString {
			name, _ := in.ReadValue()
			name = name.Clone() // the next one is read into the same buffer
			member, err := in.ReadValue()
			if err != nil {
				return text
			}
			if member.Kind() == jsontext.KindBeginObject {
				if objects++; sparse && objects > fewValues {
					continue
				}
			}
			if out.Len() > 1 {
				_ = out.WriteByte(',')
			}
			_, _ = out.Write(name)
			_ = out.WriteByte(':')
			_, _ = out.Write(shortened(member.Clone(), sparse))
		}
		_ = out.WriteByte('}')
		return out.Bytes()
	case jsontext.KindBeginArray:
		in := jsontext.NewDecoder(bytes.NewReader(text))
		_, _ = in.ReadToken()
		var all []jsontext.Value
		for in.PeekKind() != jsontext.KindEndArray {
			item, err := in.ReadValue()
			if err != nil {
				return text
			}
			all = append(all, shortened(item.Clone(), sparse))
		}
		return append(append(jsontext.Value("["), bytes.Join(few(all), []byte(","))...), ']')
	}
	return text
}

// few returns the first values of a list; for a ring of places, also the last, which closes it.
func few(all []jsontext.Value) (out [][]byte) {
	keep := min(len(all), fewValues)
	switch {
	case keep == 0:
		return nil
	case all[0].Kind() == jsontext.KindBeginObject:
		keep = min(keep, fewObjects)
		if len(all[0]) > largeItem {
			keep = 1
		}
	case all[0].Kind() == jsontext.KindBeginArray && len(all) > keep:
		all = append(all[:keep-1:keep-1], all[len(all)-1])
	}
	for _, one := range all[:keep] {
		out = append(out, one)
	}
	return out
}
