package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/core/fault"
)

func TestPages(t *testing.T) {
	r := newRig(t) // 25 plots
	at := func(query string) any { return "http://tilth.test" + base + "plot/?" + query }
	tests := []struct {
		query          string
		results        int
		next, previous any
	}{
		{"", 10, at("page=2"), nil},
		{"page=2", 10, at("page=3"), at("page=1")},
		{"page=3", 5, nil, at("page=2")},
		{"page=all", 25, nil, nil},
		{"page=all&page_size=5", 25, nil, nil},
		{"page=02", 10, at("page=3"), at("page=1")},
		{"page_size=25", 25, nil, nil},
		{"page_size=24&page=2", 1, nil, at("page=1&page_size=24")},
		{"crop=1&ordering=-id&api_key=secret", 10, at("crop=1&ordering=-id&page=2"), nil},
		{"crop=2", 0, nil, nil},
		{"crop=2&page=1", 0, nil, nil},
		{"share=true", 0, nil, nil},
		{"share=false", 10, at("page=2&share=false"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			w := r.ask("GET", base+"plot/?"+tt.query, "")
			require.Equal(t, 200, w.Code, w.Body.String())
			data := object(t, w)["data"].(map[string]any)
			require.Len(t, data, 4)
			require.IsType(t, []any{}, data["results"], "an empty list is an array too")
			require.Len(t, data["results"], tt.results)
			require.Equal(t, tt.next, data["next"])
			require.Equal(t, tt.previous, data["previous"])
		})
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	r := newRig(t)
	tests := []struct {
		query  string
		status int
		field  string
	}{
		{"page=0", 400, "page"},
		{"page=-1", 400, "page"},
		{"page=x", 400, "page"},
		{"page=", 400, "page"},
		{"page=1.5", 400, "page"},
		{"page=ALL", 400, "page"},
		{"page=1&page=2", 400, "page"},
		{"page=999", 404, ""},
		{"page=4", 404, ""},
		{"page=99999999999999999999999", 404, ""},
		{"crop=2&page=2", 404, ""},
		{"page_size=0", 400, "page_size"},
		{"page_size=1001", 400, "page_size"},
		{"crop=abc", 400, "crop"},
		{"crop=", 400, "crop"},
		{"crop=99999999999999999999", 400, "crop"},
		{"share=maybe", 400, "share"},
		{"ordering=secret", 400, "ordering"},
		{"crop=%zz", 400, "non_field_errors"},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			w := r.ask("GET", base+"plot/?"+tt.query, "")
			require.Equal(t, tt.status, w.Code, w.Body.String())
			if tt.field != "" {
				require.Contains(t, object(t, w)["details"], tt.field)
			}
		})
	}
	all := object(t, r.ask("GET", base+"plot/?page=0&crop=abc&share=2", ""))["details"]
	require.Len(t, all, 3, "all malformed parameters are named at once")
	require.Equal(t, 403, r.ask("POST", base+"plot/?crop=abc", "", token("viewer")).Code)
}

func TestPlainLists(t *testing.T) {
	r := newRig(t)
	w := r.ask("GET", base+"log/", "")
	require.Len(t, object(t, w)["data"], 3)
	require.Empty(t, w.Header().Get("Link"))
	w = r.ask("GET", base+"log/?page=2&page_size=1", "")
	require.Len(t, object(t, w)["data"], 1)
	require.Equal(t, "3", w.Header().Get("X-Total-Count"))
	link := func(page int, rel string) string {
		return fmt.Sprintf(`<http://tilth.test%slog/?page=%d&page_size=1>; rel="%s"`, base, page, rel)
	}
	require.Equal(t, strings.Join([]string{link(1, "first"), link(1, "prev"), link(3, "next"), link(3, "last")}, ", "), w.Header().Get("Link"))
}

// streaming is a list of many records that counts how many of them were produced.
func streaming(t *testing.T, records int, fail error) (server *httptest.Server, produced *int) {
	t.Helper()
	produced = new(int)
	r := newRig(t)
	listing := rest.Listing[string]{Count: int64(records), Each: func(yield func(string, error) bool) {
		for range records {
			*produced++
			if !yield(strings.Repeat("x", 1000), nil) {
				return
			}
		}
		if fail != nil {
			yield("", fail)
		}
	}}
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "long/", OperationID: "long", Summary: "Long", Tag: "Tests", Query: query.PageParams()},
		func(_ context.Context, c *rest.Call, q rest.Values) (rest.Paginated[string], error) {
			return rest.Paginate(q.Page(), listing)
		})
	server = httptest.NewServer(r.api)
	t.Cleanup(server.Close)
	return server, produced
}

func get(t *testing.T, address string) (*http.Response, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer good")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

func TestLongListsAreStreamed(t *testing.T) {
	server, produced := streaming(t, 5000, nil)
	res, body, err := get(t, server.URL+base+"long/?page=all")
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, int64(-1), res.ContentLength, "sent in chunks")
	require.Equal(t, 5000, *produced)
	require.Equal(t, 5000, strings.Count(string(body), "xxx\""))
}

func TestAnErrorEarlyInAListIsAnsweredAsAnError(t *testing.T) {
	server, _ := streaming(t, 3, fault.New(fault.Unavailable, "unavailable", "The database is away."))
	res, body, err := get(t, server.URL+base+"long/?page=all")
	require.NoError(t, err)
	require.Equal(t, 503, res.StatusCode)
	require.NotEmpty(t, res.Header.Get("Retry-After"))
	require.Contains(t, string(body), "The database is away.")
}

func TestAnErrorLateInAListCutsTheConnection(t *testing.T) {
	server, _ := streaming(t, 5000, errors.New("connection lost"))
	res, body, err := get(t, server.URL+base+"long/?page=all")
	require.Equal(t, 200, res.StatusCode)
	require.Error(t, err, "half a list must not look whole")
	require.NotContains(t, string(body), "connection lost")
}

func TestRawAnswersAndAlternatives(t *testing.T) {
	r := newRig(t)
	geo := rest.Alternative{Media: "application/geo+json", Description: "A FeatureCollection.",
		Handle: func(context.Context, *rest.Call) (rest.Raw, error) {
			return rest.Raw{ContentType: "application/geo+json", Write: func(w io.Writer) error {
				_, err := io.WriteString(w, `{"type":"FeatureCollection","features":[]}`)
				return err
			}}, nil
		}}
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "shape/", OperationID: "shape", Summary: "Shape", Tag: "Tests", Alternatives: []rest.Alternative{geo}},
		func(_ context.Context, _ *rest.Call, _ struct{}) (owner, error) {
			return owner{ID: 1}, nil
		})
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "file/", OperationID: "file", Summary: "File", Tag: "Tests", Media: []string{"text/csv"}},
		func(_ context.Context, _ *rest.Call, _ struct{}) (rest.Raw, error) {
			return rest.Raw{ContentType: "text/csv", Filename: "fields é.csv", Write: func(w io.Writer) error {
				_, err := io.WriteString(w, "id,name\n")
				return err
			}}, nil
		})
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/geo+json": "application/geo+json",
		"application/json, application/geo+json;q=0.5": "application/json", "text/html, application/geo+json;q=0.9, */*;q=0.1": "application/geo+json",
	} {
		w := r.ask("GET", base+"shape/", "", header("Accept", accept))
		require.Equal(t, want, w.Header().Get("Content-Type"), accept)
		require.Equal(t, "Accept", w.Header().Get("Vary"))
	}
	w := r.ask("GET", base+"file/", "")
	require.Equal(t, "id,name\n", w.Body.String())
	require.Contains(t, w.Header().Get("Content-Disposition"), "attachment")
	require.Equal(t, "text/csv", w.Header().Get("Content-Type"))
}

func TestLinksUseThePublicAddress(t *testing.T) {
	public, err := url.Parse("https://tilth.example.org")
	require.NoError(t, err)
	r := newRig(t, func(c *rest.Config) { c.Origins.Public = public })
	next := object(t, r.ask("GET", base+"plot", ""))["data"].(map[string]any)["next"]
	require.Equal(t, "https://tilth.example.org"+base+"plot?page=2", next)
}

// The number of whole lists that a company reads at a time is bounded; pages are not counted.
func TestLongListsOfACompanyAreBounded(t *testing.T) {
	r := newRig(t, func(c *rest.Config) { c.MaxLong = 1 })
	started, finish := make(chan struct{}), make(chan struct{})
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "slow/", OperationID: "slow", Summary: "Slow", Tag: "Tests", Query: query.PageParams()},
		func(_ context.Context, _ *rest.Call, q rest.Values) (rest.Paginated[int], error) {
			return rest.Paginate(q.Page(), rest.Listing[int]{Count: query.MaxPageSize + 1, Each: func(yield func(int, error) bool) {
				if q.Page().All {
					close(started)
					<-finish
				}
				yield(1, nil)
			}})
		})
	done := make(chan int)
	go func() { done <- r.ask("GET", base+"slow/?page=all", "").Code }()
	<-started
	w := r.ask("GET", base+"slow/?page=all", "")
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Equal(t, "too_many_lists", object(t, w)["code"])
	require.NotEmpty(t, w.Header().Get("Retry-After"))
	require.Equal(t, http.StatusOK, r.ask("GET", base+"slow/", "").Code)
	close(finish)
	require.Equal(t, http.StatusOK, <-done)
	started = make(chan struct{})
	require.Equal(t, http.StatusOK, r.ask("GET", base+"slow/?page=all", "").Code)
}
