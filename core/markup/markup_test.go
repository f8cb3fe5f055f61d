package markup

import (
	"encoding/xml"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type role string

func (r role) String() string { return "<" + string(r) + ">" }

func TestValuesAreEscaped(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert('1')</script>&amp;`
	const escaped = `&#34;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;`
	require.Equal(t, Text(`<a href="`+escaped+`">`+escaped+`</a>`), Sprintf(`<a href="%s">%v</a>`, hostile, hostile))
	require.Equal(t, Text("&lt;&amp;&gt;"), Sprintf("%s", role("&")), "what says itself how it is shown")
	require.Equal(t, Text("[&lt;]"), Sprintf("%v", []string{"<"}))
	require.Equal(t, Text("&lt;&#39;&gt;"), Sprintf("%v", fmt.Errorf("<'>")))
	require.Equal(t, Text("<b>1</b> 2.50 true 3"), Sprintf("%s %.2f %t %d", Text("<b>1</b>"), 2.5, true, int64(3)))
	require.Equal(t, Text("<b></b>&lt;"), Fill("<b></b>{{it}}", map[string]any{"it": "<"}))
	require.Equal(t, Text("{{it}}<i>"), Fill("{{a}}{{b}}", map[string]any{"a": "{{it}}", "b": Text("<i>")}), "a value is no hole")
	require.Panics(t, func() { Fill("{{a}}{{b}}", map[string]any{"a": 1}) })
	require.Panics(t, func() { Fill("{{a}}", map[string]any{"a": 1, "b": 1}) })
	require.Equal(t, Text("0<b>1&lt;"), Join([]string{"<b>", "<"}, func(i int, one string) Text {
		return Sprintf("%d%v", i, map[bool]any{true: Text(one), false: one}[i == 0])
	}))
	require.Equal(t, Text(""), If(false, "x"))
}

// Whatever a value is, a reader of HTML and one of XML read it back, and it opens no markup.
func TestWhatIsEscapedIsReadAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		out := string(Sprintf(`<a b="%s">%s</a>`, value, value))
		shown := strings.Map(func(r rune) rune { // characters that XML does not allow
			if r == 0xFFFE || r == 0xFFFF || r < 0x20 && !strings.ContainsRune("\t\n\r", r) {
				return 0xFFFD
			}
			return r
		}, value)
		var read struct {
			B    string `xml:"b,attr"`
			Text string `xml:",chardata"`
		}
		require.NoError(t, xml.Unmarshal([]byte(out), &read))
		require.Equal(t, shown, read.B)
		require.Equal(t, shown, read.Text)
		inside := string(Escape(value))
		require.NotContains(t, inside, "<")
		require.NotContains(t, inside, `"`)
		require.Equal(t, shown, html.UnescapeString(inside))
	})
}
