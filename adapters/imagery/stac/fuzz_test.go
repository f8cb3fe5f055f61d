package stac_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/core/fault"
)

// answers plays an API that returns the same page a number of times, and then none.
type answers struct {
	page []byte
	left int
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	if a.left == 0 {
		return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody}, nil
	}
	a.left--
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(a.page))}, nil
}

// FuzzSearch checks that no page of an API makes the search panic, that what it cannot use is a
// fault of the source, and that every scene is of the requested time.
func FuzzSearch(f *testing.F) {
	for _, page := range []string{
		`{"type":"FeatureCollection","features":[{"id":"a","bbox":[-5,41,-4,42],"properties":{"datetime":"2025-05-02T00:00:00Z"},"assets":{"red":{"href":"B04.tif","eo:bands":[{"name":"B04"}]}}}],"links":[]}`,
		`{"type":"FeatureCollection","features":[{"id":"a","properties":{"datetime":"2025-05-02T00:00:00Z"}}],"links":[{"rel":"next","href":"?page=2"}]}`,
		`{"type":"FeatureCollection","features":[],"links":[{"rel":"next","method":"POST","href":"search","merge":true,"body":{"token":"x"},"headers":{"x":"y"}}]}`,
		`{"type":"FeatureCollection","features":[{"id":"a","bbox":[-5,41,-4,42],"properties":{"datetime":"2025-05-02T00:00:00Z"},"assets":{"red":{"href":"B04.jp2"}}}]}`,
	} {
		f.Add([]byte(page))
	}
	from, to := day("2025-05-01"), day("2025-06-01")
	f.Fuzz(func(t *testing.T, page []byte) {
		c, err := stac.New("http://example.org/v1", stac.Options{Remote: remote.Options{
			Transport: &answers{page, 3}, Jitter: func() float64 { return 0 },
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		}})
		if err != nil {
			t.Fatal(err)
		}
		scenes, err := c.Search(context.Background(), field, from, to)
		if err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Unavailable) {
			t.Fatalf("%T %v", err, err)
		}
		for _, s := range scenes {
			if s.ID == "" || s.SensedAt.Before(from) || !s.SensedAt.Before(to) {
				t.Fatalf("%+v", s)
			}
		}
	})
}
