package stac

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"tilth/core/fault"
)

// query is one request of a search.
type query struct {
	method  string
	address string
	body    map[string]any // of POST
	headers map[string]string
}

// query returns the request for the first page of a search.
func (c *Client) query(body map[string]any) *query {
	return &query{method: http.MethodPost, address: c.root.JoinPath("search").String(), body: body}
}

func (q query) request(ctx context.Context) (*http.Request, error) {
	var body []byte
	if q.method == http.MethodPost {
		var err error
		if body, err = json.Marshal(q.body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, q.method, q.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range q.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Accept", "application/geo+json")
	if q.method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

// each calls take for every item of a search from a page on, and counts the pages.
func (c *Client) each(ctx context.Context, next *query, pages *int, take func(raw []byte) error) error {
	for ; next != nil; *pages++ {
		if *pages == maxPages {
			return fault.Newf(fault.Invalid, "imagery_search", "The STAC API answers with more than %d pages.", maxPages)
		}
		answer, err := c.page(ctx, *next)
		if err != nil {
			return err
		}
		for _, raw := range answer.Features {
			if err := take(raw); err != nil {
				return err
			}
		}
		if next, err = answer.next(*next); err != nil {
			return err
		}
	}
	return nil
}

// page is an answer to a search.
type page struct {
	Type     string            `json:"type"`
	Features []json.RawMessage `json:"features"`
	Links    []link            `json:"links"`
}

// link is a link of the STAC API specification 1.0.0 (item search, paging).
type link struct {
	Rel     string            `json:"rel"`
	Href    string            `json:"href"`
	Method  string            `json:"method"`
	Body    map[string]any    `json:"body"`
	Headers map[string]string `json:"headers"`
	Merge   bool              `json:"merge"`
}

// next returns the request for the page after this one, nil when there is none, as the link states
// it: GET of its address, or POST of its body, merged into that of the last request only where the
// link requires it.
func (p page) next(last query) (*query, error) {
	for _, l := range p.Links {
		if l.Rel != "next" {
			continue
		}
		address, err := last.resolve(l.Href)
		if err != nil || l.Href == "" {
			return nil, fault.New(fault.Invalid, "imagery_search", "The STAC API names a next page that has no address.").Because(err)
		}
		q := &query{method: http.MethodGet, address: address, headers: l.Headers}
		if strings.EqualFold(l.Method, http.MethodPost) {
			q.method, q.body = http.MethodPost, l.Body
			if l.Merge || l.Body == nil {
				q.body = maps.Clone(last.body)
				if q.body == nil {
					q.body = map[string]any{}
				}
				maps.Copy(q.body, l.Body)
			}
		}
		return q, nil
	}
	return nil, nil
}

// resolve turns a link into an absolute http or https address.
func (q query) resolve(href string) (string, error) {
	base, err := url.Parse(q.address)
	if err != nil {
		return "", err
	}
	u, err := base.Parse(href)
	if err != nil {
		return "", err
	}
	u, err = web(u.String())
	if err != nil {
		return "", err
	}
	return u.String(), nil
}
