package query_test

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/core/fault"
)

// declared returns a parameter of every type, named after its type, in addition to those of lists.
func declared() []query.Param {
	out := append(query.CursorParams(), query.OrderingParam("id", "name"),
		query.Param{Name: "word", Type: query.String, Enum: []string{"one", "two"}},
		query.Param{Name: "needed", Type: query.String, Required: true}, query.Param{Name: "often", Type: query.Integer, Many: true})
	for _, t := range []query.Type{
		query.Integer, query.Number, query.String, query.Boolean, query.Date, query.Timestamp, query.UUID, query.IDs, query.Texts, query.Box, query.Limit,
	} {
		out = append(out, query.Param{Name: string(t), Type: t})
	}
	return out
}

func read(t *testing.T, text string) (query.Values, fault.Fields) {
	t.Helper()
	raw, err := query.Parse(text)
	require.NoError(t, err)
	return query.Read(declared(), raw)
}

func TestParametersAreReadAsTheirTypesSay(t *testing.T) {
	day, err := member.ParseDate("2025-04-30")
	require.NoError(t, err)
	for text, want := range map[string]any{
		"integer=-7": int64(-7), "number=1.5": 1.5, "string=a b": "a b", "word=two": "two", "boolean=TRUE": true, "boolean=0": false, "date=2025-04-30": day,
		"timestamp=2025-04-30T12:00:00%2B02:00":     time.Date(2025, 4, 30, 10, 0, 0, 0, time.UTC),
		"uuid=6BA7B810-9DAD-11D1-80B4-00C04FD430C8": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"ids=3, 1,3": []int64{1, 3}, "texts=b,a": []string{"a", "b", "b,a"}, "box=1,2,3,4": "1,2,3,4", "limit=99999999": int64(query.MaxLimit),
		"ordering=-id,name": []query.OrderTerm{{Field: "id", Descending: true}, {Field: "name"}},
		"page=all":          "all", "page=99999999999999999999": int64(math.MaxInt64), "page_size=1000": int64(1000), "cursor=first": "first",
	} {
		name, _, _ := strings.Cut(text, "=")
		values, errs := read(t, "needed=x&"+text)
		require.Empty(t, errs, text)
		require.Equal(t, want, values.All()[name], text)
	}
	values, errs := read(t, "needed=x&string=&texts=&often=1&often=2")
	require.Empty(t, errs)
	require.Equal(t, map[string]any{"needed": "x"}, values.All(), "an empty text counts as not given, and what is given often is left to its reader")
}

func TestWhatIsWrongWithParametersIsSaidOfEach(t *testing.T) {
	_, errs := read(t, "integer=1.5&number=NaN&boolean=maybe&date=2025-02-30&timestamp=now&uuid=7&ids=1,x&limit=0&word=three&ordering=secret&page=0&page_size=1001&string=1&string=2&texts=%00")
	for name, want := range map[string]string{
		"integer": "is not a whole number.", "number": "is not a number.", "boolean": "is neither true nor false.", "date": "is not a day of the calendar.",
		"timestamp": "with its offset.", "uuid": "This is not a UUID", "ids": "is not a whole number.", "limit": "is not a limit", "word": "is not one of: one, two.",
		"ordering": "is not one of: id, name.", "page": "is not a page", "page_size": "is not a page size", "string": "Give this parameter once.",
		"texts": "This is not a text.", "needed": "This parameter is required.",
	} {
		require.Contains(t, strings.Join(fault.Messages(errs[name]), " "), want, name)
		delete(errs, name)
	}
	require.Empty(t, errs)
	_, errs = read(t, "needed=x&ids="+strings.Repeat("1,", query.MaxListed)+"1")
	require.Contains(t, errs, "ids", "a list has a bound")
	_, err := query.Parse("a=%zz")
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestPageThatIsAskedFor(t *testing.T) {
	for text, want := range map[string]query.PageSpec{
		"": {Number: 1, Size: 10}, "page=3&page_size=5": {Number: 3, Size: 5}, "page=all": {All: true, Number: 1}, "page=all&page_size=5": {All: true, Number: 1},
		"cursor=first": {Number: 1, Size: 10, Cursor: new("first")},
	} {
		values, _ := read(t, text)
		require.Equal(t, want, values.Page(), text)
	}
	values, _ := read(t, "")
	require.Equal(t, query.PageSpec{All: true, Number: 1}, values.PageOrAll())
	values, _ = read(t, "page=2&cursor=x")
	require.ErrorContains(t, values.Page().Within(100), "cursor", "a number and a cursor are two places")
}

// The pages of a list, one after the other, are the list.
func TestPagesAddUpToTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.Int64Range(0, 60).Draw(t, "count")
		spec := query.PageSpec{Number: 1, Size: rapid.Int64Range(1, 30).Draw(t, "size")}
		var seen int64
		for ; ; spec.Number++ {
			if spec.Within(count) != nil {
				break
			}
			if spec.Offset() != seen {
				t.Fatalf("page %d begins at %d, not at %d", spec.Number, spec.Offset(), seen)
			}
			seen = min(count, seen+spec.Limit())
		}
		if seen != count {
			t.Fatalf("%d of %d records seen", seen, count)
		}
	})
	require.Positive(t, query.PageSpec{Number: 1 << 62, Size: 1000}.Offset(), "a large page number does not overflow")
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"page=all&ids=1,2", "date=2025-04-30&ordering=-id", "box=1,2,3,4&texts=a,b", "integer=%00&uuid=\xff", "needed=&a;b"} {
		f.Add(seed)
	}
	known := declared()
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		values, errs := query.Read(known, raw)
		for name := range values.All() {
			require.True(t, slices.ContainsFunc(known, func(p query.Param) bool { return p.Name == name }), name)
		}
		if page := values.Page(); len(errs) == 0 {
			require.GreaterOrEqual(t, page.Offset(), int64(0))
			require.Positive(t, page.Pages(1<<62))
		}
	})
}
