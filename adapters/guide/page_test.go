package guide

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPagesEscapeTitles(t *testing.T) {
	t.Parallel()
	const hostile, escaped = `"><script>alert('1')</script>&`, `&#34;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;`
	p := &page{Name: "a", Title: hostile, Summary: hostile, Body: "<p>the guide</p>", Sections: []section{{}, {Anchor: "b", Heading: hostile, Level: 2}, {Anchor: "c", Heading: "deep", Level: 4}}}
	for _, served := range []bool{false, true} {
		v := view{page: p, chapters: []shownChapter{{hostile, []*page{p}}}, before: p, after: p, where: addresses{served: served}}
		whole := string(v.html())
		require.Contains(t, whole, "<article><p>the guide</p></article>")
		require.Contains(t, whole, `<li class="level2"><a href="#b">`)
		require.NotContains(t, whole, "deep")
		// The titles of the page, of the chapter, in the navigation, before and after; the summary; the heading.
		require.Equal(t, 7, strings.Count(whole, escaped), whole)
		v.page = nil
		contents := string(v.html())
		require.Equal(t, 7, strings.Count(contents, escaped), contents)
		for _, text := range []string{whole, contents} {
			require.Equal(t, strings.Count(frame, "<script"), strings.Count(text, "<script"))
			require.NotContains(t, text, "%!")
		}
	}
}
