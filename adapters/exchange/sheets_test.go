package exchange_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/credit"
	"tilth/core/vegetation"
)

func TestSeriesSheet(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2025, 4, d, 0, 0, 0, 0, time.UTC) }
	mask, err := vegetation.ParseMask("strict,dilate:1")
	require.NoError(t, err)
	s := vegetation.Series{
		Index: "CIre", Mask: mask, Dataset: vegetation.HLSS30,
		Observations: []vegetation.Observation{
			{Date: day(1), Value: 1e-7, Median: -0.5, Std: 0.25, Min: -1, Max: 12345678.5, P10: 0, P90: 1, Coverage: 0.75, NValid: 30, NPolygon: 40, Items: []string{"a", "b"}},
			{Date: day(11), Value: 0.5, Items: []string{"=1+1"}, Sensor: &vegetation.Sensor{
				Dataset: "sentinel", Platform: "s2", Adjusted: []vegetation.Adjustment{{Band: "B04", Slope: 0.9765, Offset: 0.0009}}, NotAdjusted: []string{"B05", "brdf"},
			}},
		},
		Rejected: []vegetation.Rejection{{Date: day(6), Reason: vegetation.ReasonCloud, NPolygon: 40, Items: []string{`say "no", twice`}}},
	}
	var out bytes.Buffer
	require.NoError(t, exchange.Sheets{}.SeriesSheet(&out, "csv", s))
	require.Equal(t, `date,value,status,reason,coverage,n_valid,n_polygon,median,std,min,max,p10,p90,items,mask,dataset,sensor,adjusted,not_adjusted
2025-04-01,0.0000001,accepted,,0.75,30,40,-0.5,0.25,-1,12345678.5,0,1,a b,"strict,dilate:1",hls-s30,,,
2025-04-06,,rejected,cloud,0,0,40,,,,,,,"say ""no"", twice","strict,dilate:1",hls-s30,,,
2025-04-11,0.5,accepted,,0,0,0,0,0,0,0,0,0,'=1+1,"strict,dilate:1",hls-s30,sentinel s2,B04:0.9765:0.0009,B05 brdf
`, out.String())
	out.Reset()
	require.NoError(t, exchange.Sheets{}.SeriesSheet(&out, "csv", vegetation.Series{}))
	require.Equal(t, 1, strings.Count(out.String(), "\n"), "the head alone")
}

func TestStatementSheet(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 500_000, time.UTC)
	lines := func(fail error) iter.Seq2[credit.StatementLine, error] {
		return func(yield func(credit.StatementLine, error) bool) {
			tx := credit.Transaction{ID: 7, CreatedAt: at, Kind: credit.Hold, Amount: 30_05, Product: credit.SoilMap, FieldID: 2, OrderID: 3, Note: "@SUM(A1)"}
			if yield(credit.StatementLine{Transaction: tx, Balance: 100_00, Held: 30_05}, nil) && fail != nil {
				yield(credit.StatementLine{}, fail)
			}
		}
	}
	var out bytes.Buffer
	require.NoError(t, exchange.Sheets{}.StatementSheet(&out, "csv", credit.Wallet{Balance: 100_00}, lines(nil)))
	require.Equal(t, `line,created_at,transaction,kind,product,field,order,refund_of,amount,balance,held,available,note
opening balance,,,,,,,,,100.00,0.00,100.00,
transaction,2026-03-01T12:00:00.0005Z,7,hold,soil_map,2,3,,30.05,100.00,30.05,69.95,'@SUM(A1)
closing balance,,,,,,,,,100.00,30.05,69.95,
`, out.String())
	read, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, read, 4)
	broken := errors.New("broken off")
	require.ErrorIs(t, exchange.Sheets{}.StatementSheet(&out, "csv", credit.Wallet{}, lines(broken)), broken)
}
