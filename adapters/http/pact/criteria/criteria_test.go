package criteria_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/pact/criteria"
	"tilth/app/ghg/exchange"
	"tilth/core/fault"
)

// The example of the standard (spec/v3/openapi.yaml): names in either case, values that are alternatives, a time without seconds.
func TestReadQuery(t *testing.T) {
	t.Parallel()
	given, err := url.ParseQuery("productId=x&productid=y&productid=z&geography=DE&geography=FR&validon=2025-04-01T00:00Z")
	require.NoError(t, err)
	q, err := criteria.Read(given)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"x", "y", "z"}, q.Filter.ProductIDs)
	require.Equal(t, []string{"de", "fr"}, q.Filter.Geographies)
	require.Equal(t, 2025, q.Filter.ValidOn.Year())
	require.Equal(t, exchange.MaxPage, q.Limit)
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
		q, err := criteria.Read(given)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		require.True(t, q.Limit >= 0 && q.Limit <= exchange.MaxPage)
		require.True(t, q.After == "" || len(q.After) == 36 && q.After == strings.ToLower(q.After))
		for _, values := range [][]string{q.Filter.ProductIDs, q.Filter.CompanyIDs, q.Filter.Geographies, q.Filter.Classifications, q.Filter.Statuses} {
			for _, v := range values {
				require.True(t, v != "" && utf8.ValidString(v) && !strings.ContainsRune(v, 0))
			}
		}
	})
}
