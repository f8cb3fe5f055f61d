package exchange_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

func manySeries(failure error) iter.Seq2[ports.OrderSeries, error] {
	return func(yield func(ports.OrderSeries, error) bool) {
		square := geo.MultiPolygon{{{{X: 1, Y: 1}, {X: 2, Y: 1}, {X: 2, Y: 2}, {X: 1, Y: 1}}}}
		for i := range 2 {
			order := vegetation.OrderState{ID: int64(7 + i), FieldID: 3, FieldUUID: "f", SeasonID: 2, Index: "NDVI", BoundaryID: int64(i), Boundary: square}
			series := vegetation.Series{Observations: []vegetation.Observation{
				{Date: time.Date(2025, 5, 5, 0, 0, 0, 0, time.UTC), Value: 0.1234567890123456, Coverage: 1, NValid: 8, NPolygon: 8},
			}[i:]}
			if !yield(ports.OrderSeries{Order: order, Series: series}, nil) {
				return
			}
		}
		if failure != nil {
			yield(ports.OrderSeries{}, failure)
		}
	}
}

func TestSeriesOfMany(t *testing.T) {
	for format, want := range map[string]string{
		"jsonl": `{"order_id":7,"field":3,"field_uuid":"f","season":2,"index_code":"NDVI","mask":"standard","dataset":"all","boundary_id":null,"synthetic":false,"profile":[{"date":"2025-05-05","value":0.1234567890123456,"coverage":1,"n_valid":8,"n_polygon":8}]}
{"order_id":8,"field":3,"field_uuid":"f","season":2,"index_code":"NDVI","mask":"standard","dataset":"all","boundary_id":1,"synthetic":false,"profile":[]}
`,
		"csv": "order_id,field,field_uuid,season,index_code,date,value,coverage,n_valid,n_polygon,mask,dataset,sensor,adjusted,not_adjusted\n7,3,f,2,NDVI,2025-05-05,0.1234567890123456,1,8,8,standard,all,,,\n",
		"geojson": `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]},"properties":{"order_id":7,"field":3,"field_uuid":"f","season":2,"index_code":"NDVI","mask":"standard","dataset":"all","boundary_id":null,"synthetic":false,"2025-05-05":0.1234567890123456}},
{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]},"properties":{"order_id":8,"field":3,"field_uuid":"f","season":2,"index_code":"NDVI","mask":"standard","dataset":"all","boundary_id":1,"synthetic":false}}]}
`,
	} {
		var out bytes.Buffer
		require.NoError(t, exchange.Sheets{}.SeriesOfMany(&out, format, manySeries(nil)))
		require.Equal(t, want, out.String(), format)
		broken := errors.New("the database is gone")
		require.ErrorIs(t, exchange.Sheets{}.SeriesOfMany(&out, format, manySeries(broken)), broken)
	}
	var none bytes.Buffer
	require.NoError(t, exchange.Sheets{}.SeriesOfMany(&none, "geojson", func(func(ports.OrderSeries, error) bool) {}))
	require.JSONEq(t, `{"type":"FeatureCollection","features":[]}`, none.String())
	require.True(t, json.Valid(none.Bytes()))
}
