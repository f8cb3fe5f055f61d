package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/farm"
	"tilth/core/record"
	"tilth/ports"
)

// pieces are the parts of names and searches: what databases, patterns and case folding treat specially.
var pieces = []string{
	"a", "north", "field", "1", "12", "12345", " ", "  ", "%", "_", `\`, `'`, `"`, "*", "AND", "é", "É", "ß", "ẞ", "İ", "ı", "K", "K", "Σ", "ς",
	"三", "里塚", "🌾", "e\u0301", "\u200b", "\U000F0000", "\ufffd", "-", "\n", "wheat", "blé", "Ours",
}

func drawnText(rt *rapid.T, label string, upTo int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, upTo).Draw(rt, label), "")
}

// testSearch checks, for any names and texts, whatever the index knows yet, that a searched list is what contains the
// text, letter by letter.
func testSearch(t *testing.T, b Backend) {
	w := newWorld(t, b)
	s := &searching{world: w}
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 2).Draw(rt, "writes") {
			w.clock.move(time.Second)
			s.write(rt)
		}
		if rapid.Bool().Draw(rt, "fold") {
			_, err := w.FoldSearch(w.ctx)
			require.NoError(rt, err)
		}
		s.search(rt)
	})
	_, err := w.FoldSearch(w.ctx)
	require.NoError(t, err)
	again, err := w.FoldSearch(w.ctx)
	require.NoError(t, err)
	require.Zero(t, again, "all names are in the index")
}

type searching struct {
	*world
	fields []farm.Field // live
}

// write makes, renames or removes something with a drawn name.
func (s *searching) write(rt *rapid.T) {
	name, scope := "n"+drawnText(rt, "name", 4), s.ours.scope
	what := rapid.IntRange(0, 5).Draw(rt, "what")
	s.world.write(func(tx ports.Repos) error {
		switch {
		case what == 0:
			s.ours.farm.Name = name
			return tx.Farms.Update(s.ctx, scope, &s.ours.farm)
		case what == 1:
			s.ours.season.Name = name
			return tx.Seasons.Update(s.ctx, scope, &s.ours.season)
		case what == 2 && len(s.fields) > 0:
			s.fields[0].Name = name
			return tx.Fields.Update(s.ctx, scope, &s.fields[0])
		case what >= 3 && len(s.fields) > 3:
			id := s.fields[0].ID
			s.fields = s.fields[1:]
			_, err := tx.Cultivations.SoftDeleteOfFields(s.ctx, scope, []int64{id}, s.clock.Now())
			if err == nil {
				_, err = tx.Fields.SoftDelete(s.ctx, scope, []int64{id}, s.clock.Now())
			}
			return err
		}
		field := s.newField(s.ours, name)
		if err := tx.Fields.Insert(s.ctx, scope, []*farm.Field{&field}); err != nil {
			return err
		}
		s.fields = append(s.fields, field)
		grown := s.newCultivation(s.ours)
		grown.Field = record.Ref{ID: field.ID}
		return tx.Cultivations.Insert(s.ctx, scope, []*farm.Cultivation{&grown})
	})
}

// search searches every list for a drawn text or a part of an existing one.
func (s *searching) search(rt *rapid.T) {
	s.read(func(tx ports.Repos) error {
		names := map[int64]string{}
		all := collect(s.t, tx.Fields.Each(s.ctx, s.ours.scope, ports.Query{}))
		for _, f := range all {
			names[f.ID] = folded(f.Name)
		}
		sown := folded(strings.Join([]string{s.crop.Name, s.crop.ScientificName, s.crop.Slug, "blé"}, "\n"))
		text := drawnText(rt, "text", 3)
		if rapid.Bool().Draw(rt, "piece") {
			whole := []rune(names[rapid.SampledFrom(all).Draw(rt, "of").ID] + " " + folded(s.ours.season.Name) + " " + sown)
			from := rapid.IntRange(0, len(whole)-1).Draw(rt, "from")
			text = string(whole[from:min(len(whole), from+rapid.IntRange(1, 9).Draw(rt, "letters"))])
		}
		search := "search"
		requireFound(rt, s, tx.Fields, text, search, func(f farm.Field) (int64, string) { return f.ID, f.Name })
		requireFound(rt, s, tx.Farms, text, search, func(f farm.Farm) (int64, string) { return f.ID, f.Name })
		requireFound(rt, s, tx.Seasons, text, "name", func(f farm.Season) (int64, string) { return f.ID, f.Name })
		requireFound(rt, s, tx.Fertilizations, text, search, func(f farm.Fertilization) (int64, string) { return f.ID, f.ProductName })
		requireFound(rt, s, tx.Cultivations, text, search, func(c farm.Cultivation) (int64, string) {
			return c.ID, names[c.Field.ID] + " " + folded(c.Season.Name) + " " + sown
		})
		requireFound(rt, s, tx.Assessments, text, search, func(a assessment.Assessment) (int64, string) {
			if a.ResourceType == assessment.OfField {
				return a.ID, names[a.ResourceID]
			}
			return a.ID, s.ours.farm.Name
		})
		return nil
	})
}

// requireFound asserts that a search finds the records whose text holds a text, in order, a page of them, and their number.
func requireFound[T any](rt *rapid.T, s *searching, list ports.List[T, ports.Query], text, filter string, of func(T) (int64, string)) {
	ids := func(scope access.Scope, q ports.Query) (out []int64) {
		for _, one := range collect(s.t, list.Each(s.ctx, scope, q)) {
			id, _ := of(one)
			out = append(out, id)
		}
		return out
	}
	var want []int64
	for _, one := range collect(s.t, list.Each(s.ctx, s.ours.scope, ports.Query{})) {
		if id, has := of(one); strings.Contains(folded(has), folded(text)) {
			want = append(want, id)
		}
	}
	query := ports.Query{Filters: []ports.Filter{{Name: filter, Value: text, Partial: true}}}
	said := fmt.Sprintf("%T searched for %q", *new(T), text)
	require.Equal(rt, want, ids(s.ours.scope, query), said)
	n, err := list.Count(s.ctx, s.ours.scope, query)
	require.NoError(rt, err)
	require.EqualValues(rt, len(want), n, said)
	query.Order = []ports.Order{{Field: "id", Descending: true}}
	query.Limit, query.Offset = 2, 1
	slices.Reverse(want)
	page := want[min(1, len(want)):min(3, len(want))]
	require.ElementsMatch(rt, page, ids(s.ours.scope, query), said)
}

// testSearchOfMany asserts that more hits than are requested from the index are all found, and none of another company.
func testSearchOfMany(t *testing.T, b Backend) {
	w := newWorld(t, b)
	const many = 1100
	for _, e := range []estate{w.ours, w.theirs} {
		made := make([]*farm.Field, many)
		for i := range made {
			field := w.newField(e, fmt.Sprintf("Feld %04d", i))
			made[i] = &field
		}
		w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, e.scope, made) })
	}
	for range 2 {
		w.read(func(tx ports.Repos) error {
			for text, want := range map[string]int64{"feld": many, "feld 0": 1000, "feld 00": 100, "feld 0007": 1, "0007": 1, "07": 130, "feld 1": 100, "nowhere": 0, "a\x00bc": 0} {
				query := ports.Query{Filters: []ports.Filter{{Name: "search", Value: text}}}
				n, err := tx.Fields.Count(w.ctx, w.ours.scope, query)
				require.NoError(t, err)
				require.Equal(t, want, n, text)
				require.Len(t, collect(t, tx.Fields.Each(w.ctx, w.ours.scope, query)), int(want), text)
			}
			return nil
		})
		_, err := w.FoldSearch(w.ctx)
		require.NoError(t, err)
	}
	long := ports.Query{Filters: []ports.Filter{{Name: "search", Value: strings.Repeat("feld 0007 ", 200)}}}
	w.read(func(tx ports.Repos) error {
		n, err := tx.Fields.Count(w.ctx, w.ours.scope, long)
		require.Zero(t, n)
		return err
	})
}
