package pact

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tilth/app/ghg/exchange"
	"tilth/core/fault"
)

// The example of the standard (spec/v3/openapi.yaml): names in either case, values that are alternatives, a time without seconds.
func TestReadQuery(t *testing.T) {
	t.Parallel()
	given, err := url.ParseQuery("productId=x&productid=y&productid=z&geography=DE&geography=FR&validon=2025-04-01T00:00Z")
	require.NoError(t, err)
	q, err := readQuery(given)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"x", "y", "z"}, q.filter.ProductIDs)
	require.Equal(t, []string{"de", "fr"}, q.filter.Geographies)
	require.Equal(t, 2025, q.filter.ValidOn.Year())
	require.Equal(t, exchange.MaxPage, q.limit)
}

func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][3]any{
		"Basic YTpi": {"a", "b", true}, "basic YTpi": {"a", "b", true}, "Basic YTpiJTNBJTJC": {"a", "b:+", true}, // b:+ is form-encoded
		"Basic YTpiOmM=": {"a", "b:c", true}, "Bearer YTpi": {"", "", false}, "Basic ab": {"", "", false}, "Basic !": {"", "", false}, "Basic YTolWg==": {"", "", false}, "": {"", "", false},
	} {
		id, secret, ok := basic(header)
		require.Equal(t, want[2], ok, header)
		if ok {
			require.Equal(t, []any{want[0], want[1]}, []any{id, secret}, header)
		}
	}
}

// FuzzQuery checks that a query is either read into values that can be compared with what is stored, or refused with a reason.
func FuzzQuery(f *testing.F) {
	for _, query := range []string{
		"productId=urn:a:b&limit=2", "validOn=2026-01-01", "after=079e425a-464f-528d-341d-4a944a1dfd70", "limit=0", "status=&geography=", "$filter=x", "PRODUCTID=%00", "validAfter=2026-01-01T00:00:00+02:00",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, text string) {
		given, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := readQuery(given)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		require.True(t, q.limit >= 0 && q.limit <= exchange.MaxPage)
		require.True(t, q.after == "" || len(q.after) == 36 && q.after == strings.ToLower(q.after))
		for _, values := range [][]string{q.filter.ProductIDs, q.filter.CompanyIDs, q.filter.Geographies, q.filter.Classifications, q.filter.Statuses} {
			for _, v := range values {
				require.True(t, v != "" && utf8.ValidString(v) && !strings.ContainsRune(v, 0))
			}
		}
	})
}
