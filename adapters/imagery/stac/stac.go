// Package stac is the imagery source behind a STAC API: it searches items there and reads their
// Cloud-Optimized GeoTIFFs by HTTP ranges. It sends no credentials of its own; where a store requires
// signed addresses, such as that of Planetary Computer, it signs them with the API's public tokens.
package stac

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/item"
	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
	"tilth/ports"
)

const (
	// DefaultCollection is Earth Search's collection of Sentinel-2 L2A that ESA processed
	// with one baseline ("Collection 1").
	DefaultCollection = "sentinel-2-c1-l2a"

	pageLimit = 100      // items of a page
	maxPages  = 100      // of one search: a field has some 150 scenes a year and tile
	maxPage   = 64 << 20 // bytes of one page
	patience  = 6        // the API may be silent this many times as long as a file store: it searches first
)

// Options are the collections to search and how to reach them.
type Options struct {
	// Collections to search; none: those of the address, or else the one of Sentinel-2 L2A at the
	// API's host, or else DefaultCollection.
	Collections []string
	// SignAt is the address of a token endpoint (see New); empty: that of the address, or else that
	// of the API's host, if it has one.
	SignAt string
	Remote remote.Options
	Files  *cog.Reader // keeps what was read of files; nil: cog.Shared
}

// Client searches one STAC API. Safe for concurrent use.
type Client struct {
	item.Reader // of the files
	remote      *remote.Client
	root        *url.URL
	collections []string
	places      *places
}

var _ ports.Imagery = (*Client)(nil)

// New returns a client of the API whose landing page is at root. It sends no request.
//
// The address may have more parts: a path that ends in /collections/NAME selects the collection, or several as NAME,NAME,
// and the parameter sign_at a token endpoint: GET of {sign_at}/{collection} returns {"token":
// QUERY, "msft:expiry": TIME}, and files are then requested with QUERY appended, as Planetary
// Computer documents it.
//
// Invalid when root is not an http or https address.
func New(root string, o Options) (*Client, error) {
	at, collections, signAt, err := parseAddress(root, o)
	if err != nil {
		return nil, err
	}
	now := o.Remote.Now
	if now == nil {
		now = time.Now
	}
	c := &Client{Reader: item.Reader{Files: o.Files}, remote: remote.New(o.Remote), root: at, collections: collections, places: newPlaces(now)}
	if signAt == nil {
		c.Source = func(_ *item.Item, href string) (cog.Source, error) { return cog.FromURL(c.remote, href) }
		return c, nil
	}
	tokens := tokens{remote: c.remote, endpoint: signAt, now: now, held: map[string]*token{}}
	c.Source = func(it *item.Item, href string) (cog.Source, error) {
		return cog.FromSignedURL(c.remote, href, tokens.of(cmp.Or(it.Collection, c.collections[0])))
	}
	return c, nil
}

// Describe names the API and the collections.
func (c *Client) Describe() string {
	return fmt.Sprintf("STAC API %s: %s", c.root.Redacted(), strings.Join(c.collections, ", "))
}

func (c *Client) page(ctx context.Context, ask query) (answer page, err error) {
	err = c.remote.Patient(patience).Do(ctx, "the scenes of "+c.root.Host, ask.request, func(got *http.Response) error {
		raw, err := io.ReadAll(io.LimitReader(got.Body, maxPage+1))
		if err != nil {
			return remote.Again(err)
		}
		if len(raw) > maxPage {
			return fault.Newf(fault.Invalid, "imagery_search", "A page of the STAC API is larger than %d MiB.", maxPage>>20)
		}
		answer = page{}
		if err := json.Unmarshal(raw, &answer); err != nil || answer.Type != "FeatureCollection" {
			return fault.New(fault.Invalid, "imagery_search", "The answer of the STAC API is not a collection of items.").Because(err)
		}
		return nil
	})
	return answer, err
}
