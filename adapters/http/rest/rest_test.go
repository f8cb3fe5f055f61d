package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/fault"
)

// plot is the record of the tests: every kind of member that records have.
type plot struct {
	Name     string           `json:"name" minLength:"1" maxLength:"20"`
	FieldID  int64            `json:"field_id" minimum:"1"`
	AreaHa   *float64         `json:"area_ha,omitempty" exclusiveMinimum:"0" maximum:"10000"`
	Tenure   string           `json:"tenure,omitempty" enum:"owned,leased"`
	SownOn   *member.Date     `json:"sown_on,omitempty"`
	Boundary member.RawObject `json:"boundary,omitempty"`
	Soil     *soil            `json:"soil,omitempty"`
	Tags     []string         `json:"tags,omitempty" maxItems:"3" uniqueItems:"true" maxLength:"8"`
	Irrigate *bool            `json:"irrigate,omitempty"`
	Count    int32            `json:"count,omitempty"`
	UUID     string           `json:"uuid,omitempty" readOnly:"true"`
	Email    string           `json:"email,omitempty" format:"email"`
	source
}

// source is embedded without being exported, as parts shared by records are.
type source struct {
	ExternalID string `json:"external_id,omitempty" maxLength:"5"`
}

type soil struct {
	Texture string  `json:"texture" pattern:"^[a-z ]+$" patternDescription:"a texture in lower case"`
	PH      float64 `json:"ph,omitempty" minimum:"0" maximum:"14"`
}

type plotRecord struct {
	ID    int64        `json:"id"`
	Name  string       `json:"name"`
	Sown  *member.Date `json:"sown_on"`
	Owner *owner       `json:"owner"`

	Tenure *string           `json:"tenure" enum:"owned,leased"`
	Shape  member.RawObject  `json:"shape"`
	Names  map[string]string `json:"names"`
	Tags   []string          `json:"tags"`
	Soil   *soil             `json:"soil,omitempty"`
}

type owner struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

const base = "/api/v1.2/"

// rig is an interface with fake credentials: the token "good" may do everything,
// "viewer" may look.
type rig struct {
	api *rest.API
	log *bytes.Buffer
}

func newRig(t *testing.T, change ...func(*rest.Config)) *rig {
	t.Helper()
	log := &bytes.Buffer{}
	config := rest.Config{
		Base: base, Title: "Tilth", Version: "1.2",
		Logger: slog.New(slog.NewTextHandler(log, nil)),
		Authenticate: func(_ context.Context, token string) (access.Principal, error) {
			switch token {
			case "good":
				return access.Principal{UserID: 1, CompanyID: 10}, nil
			case "viewer":
				return access.Principal{UserID: 2, CompanyID: 10}, nil
			case "expired":
				return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "The token has expired.")
			}
			return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "The token is not valid.")
		},
		AuthenticateKey: func(_ context.Context, key string) (access.Principal, error) {
			if key == "k-123" {
				return access.Principal{UserID: 3, CompanyID: 10}, nil
			}
			return access.Principal{}, fault.New(fault.Unauthenticated, "invalid_api_key", "The API key is not valid.")
		},
		Authorize: func(ctx context.Context, who access.Principal, need access.Permission) (context.Context, error) {
			if who.UserID == 2 && !access.Match("*.view", need.Slug()) {
				return ctx, need.Denied()
			}
			return ctx, nil
		},
	}
	for _, c := range change {
		c(&config)
	}
	r := &rig{api: rest.New(config), log: log}
	rest.Register(r.api, plots(25))
	registerEcho(r.api)
	return r
}

// plots is a resource of n records with ids from 1. Id 404 does not exist; the field 13
// of a body breaks a business rule.
func plots(n int64) rest.Resource[plot, plotRecord] {
	record := func(id int64) plotRecord {
		return plotRecord{ID: id, Name: "plot", Owner: &owner{ID: 5, Name: "Ana"}}
	}
	find := func(id int64) error {
		if id > n {
			return fault.Missing("plot")
		}
		return nil
	}
	return rest.Resource[plot, plotRecord]{
		Path: "plot/", Noun: "plot", Plural: "plots", Access: access.Fields, Tag: "Plots",
		Filters:   []rest.Param{{Name: "crop", Type: rest.Integer, Description: "Id of the crop."}, query.OrderingParam("id", "name")},
		Shareable: true, Keys: rest.KeyInQuery,
		OddBulk:      map[string]int{"bulk_validation_failed": http.StatusPaymentRequired, fault.CodeUnknownName: http.StatusPaymentRequired},
		Inapplicable: []string{"variety"},
		List: func(_ context.Context, _ *rest.Call, q rest.ListQuery) (rest.Listing[plotRecord], error) {
			count := n
			if crop, ok := q.All()["crop"]; ok && crop != int64(1) || q.Shared {
				count = 0
			}
			return rest.Listing[plotRecord]{Count: count, Each: func(yield func(plotRecord, error) bool) {
				last := count
				if limit := q.Page.Limit(); limit > 0 {
					last = min(count, q.Page.Offset()+limit)
				}
				for id := q.Page.Offset() + 1; id <= last; id++ {
					if !yield(record(id), nil) {
						return
					}
				}
			}}, nil
		},
		Retrieve: func(_ context.Context, _ *rest.Call, id int64, _ bool) (plotRecord, error) {
			return record(id), find(id)
		},
		Create: func(_ context.Context, _ *rest.Call, decode func() ([]rest.Item[plot], bool, error)) ([]plotRecord, error) {
			items, bulk, err := decode()
			if err != nil {
				return nil, err
			}
			var out []plotRecord
			for i, item := range items {
				if item.Value.FieldID == 13 {
					items[i].Errors = fault.Fields{}
					items[i].Errors.Add("field_id", "No field of your company has the id 13.")
				}
				out = append(out, record(int64(i+1)))
			}
			return out, itemErrors(items, bulk)
		},
		Update: func(_ context.Context, c *rest.Call, id int64) (plotRecord, error) {
			if err := find(id); err != nil {
				return plotRecord{}, err
			}
			area := 2.5
			w, err := rest.DecodeChange(c, plot{Name: "North", FieldID: 7, AreaHa: &area})
			out := record(id)
			out.Name = w.Name
			if w.AreaHa == nil {
				out.Owner = nil // tells the test that the area was cleared
			}
			return out, err
		},
		Delete: func(_ context.Context, _ *rest.Call, id int64) error { return find(id) },
	}
}

func registerEcho(a *rest.API) {
	rest.Handle(a, rest.Route{Method: http.MethodPost, Path: "echo/", OperationID: "echo", Summary: "Echo", Tag: "Tests"},
		func(_ context.Context, _ *rest.Call, in rest.JSON[plot]) (plot, error) { return in.Body, nil })
	rest.Handle(a, rest.Route{Method: http.MethodGet, Path: "broken/", OperationID: "broken", Summary: "Fail", Tag: "Tests"},
		func(_ context.Context, _ *rest.Call, _ struct{}) (plotRecord, error) {
			return plotRecord{}, errors.New("pq: password of user tilth is hunter2")
		})
	rest.Handle(a, rest.Route{Method: http.MethodPost, Path: "auth/token/", OperationID: "token", Summary: "Token", Tag: "Tests", Public: true},
		func(_ context.Context, _ *rest.Call, in rest.JSON[soil]) (soil, error) { return in.Body, nil })
	rest.Handle(a, rest.Route{Method: http.MethodGet, Path: "log/", OperationID: "log_list", Summary: "List", Tag: "Tests", Query: query.PageParams()},
		func(_ context.Context, c *rest.Call, q rest.Values) (rest.List[owner], error) {
			return rest.NewList(q.PageOrAll(), rest.Records(q.PageOrAll(), []owner{{1, "a"}, {2, "b"}, {3, "c"}}))
		})
}

// ask sends a request with the good token; a body that is not empty is sent as JSON.
func (r *rig) ask(method, path, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "http://tilth.test"+path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer good")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, c := range change {
		c(req)
	}
	w := httptest.NewRecorder()
	r.api.ServeHTTP(w, req)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func token(t string) func(*http.Request) {
	if t == "" {
		return func(r *http.Request) { r.Header.Del("Authorization") }
	}
	return header("Authorization", "Bearer "+t)
}

// object reads an answer and checks that it is an envelope.
func object(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	require.Equal(t, "application/json", w.Header().Get("Content-Type"), w.Body.String())
	var out map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out), w.Body.String())
	require.IsType(t, "", out["message"])
	if w.Code >= 400 {
		require.Equal(t, "error", out["status"])
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, out["code"])
		require.IsType(t, map[string]any{}, out["details"])
		require.Len(t, out, 4)
	} else {
		require.Equal(t, "success", out["status"])
		require.Len(t, out, 3)
	}
	return out
}

// details returns the details of a refusal as JSON text.
func details(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	text, err := json.Marshal(object(t, w)["details"])
	require.NoError(t, err)
	return string(text)
}

// itemErrors collects what is wrong with decoded items into one fault: for a bulk with code
// bulk_validation_failed and keyed by the item's index in decimal, for a single object its own
// fields. It returns nil if nothing is wrong.
func itemErrors[W any](items []rest.Item[W], bulk bool) error {
	if !bulk {
		return items[0].Errors.Err()
	}
	byIndex, failed := fault.Fields{}, 0
	for i, item := range items {
		if len(item.Errors) > 0 {
			byIndex.Nest(strconv.Itoa(i), item.Errors)
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return (&fault.Error{
		Kind: fault.Invalid, Code: "bulk_validation_failed", Fields: byIndex,
		Message: fmt.Sprintf("Validation failed for %d of %d items; nothing was stored.", failed, len(items)),
	}).Naming()
}
