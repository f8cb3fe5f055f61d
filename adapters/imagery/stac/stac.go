// Package stac is the imagery source behind a STAC API: it searches items there and reads
// their Cloud-Optimized GeoTIFFs by HTTP ranges. It sends no credentials and signs no
// addresses, so that it serves catalogs whose files are public, such as Earth Search.
package stac

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/item"
	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

const (
	// DefaultCollection is Earth Search's collection of Sentinel-2 L2A that ESA processed
	// with one baseline ("Collection 1").
	DefaultCollection = "sentinel-2-c1-l2a"

	pageLimit = 100      // items of a page
	maxPages  = 100      // of one search: a field has some 150 scenes a year and tile
	maxPage   = 64 << 20 // bytes of one page
)

// Options say what to search and how to reach it.
type Options struct {
	Collections []string       // none: DefaultCollection
	Remote      remote.Options // the zero value outside tests
}

// Client searches one STAC API. Safe for concurrent use.
type Client struct {
	reader      item.Reader
	remote      *remote.Client
	root        *url.URL
	collections []string
}

var _ ports.Imagery = (*Client)(nil)

// New makes a client of the API whose landing page is at root. It asks nothing yet.
// Invalid when root is no http or https address.
func New(root string, o Options) (*Client, error) {
	u, err := url.Parse(root)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fault.New(fault.Invalid, "imagery_address", "The address of the STAC API must begin with http:// or https://.")
	}
	if len(o.Collections) == 0 {
		o.Collections = []string{DefaultCollection}
	}
	c := &Client{remote: remote.New(o.Remote), root: u, collections: slices.Clone(o.Collections)}
	c.reader.Source = func(href string) (cog.Source, error) { return cog.FromURL(c.remote, href) }
	return c, nil
}

// Describe names the API and the collections.
func (c *Client) Describe() string {
	return fmt.Sprintf("STAC API %s: %s", c.root.Redacted(), strings.Join(c.collections, ", "))
}

// Grid reads the header of a band's file.
func (c *Client) Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error) {
	return c.reader.Grid(ctx, scene, band)
}

// Read reads a window of a band, with what turns it into reflectance.
func (c *Client) Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	return c.reader.Read(ctx, scene, band, window)
}

// Search asks page by page. What the API says of place and time is checked again, for
// its intervals include their end and its footprints may be boxes; an item that two pages
// repeat counts once.
func (c *Client) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	area, err := item.NewArea(boundary)
	if err != nil {
		return nil, err
	}
	items := map[string]*item.Item{}
	jpeg2000 := "" // an item that has bands but none that can be read
	next := c.firstPage(boundary, from, to)
	for pages := 0; next != nil; pages++ {
		if pages == maxPages {
			return nil, fault.Newf(fault.Invalid, "imagery_search", "The STAC API answers with more than %d pages.", maxPages)
		}
		answer, err := c.page(ctx, *next)
		if err != nil {
			return nil, err
		}
		for _, raw := range answer.Features {
			it, err := item.Parse(raw, "An item of the STAC API")
			if err != nil {
				return nil, err
			}
			if it.JPEG2000() {
				jpeg2000 = it.ID
			}
			if at := it.SensedAt(); len(it.Assets) > 0 && !at.Before(from) && at.Before(to) && it.Meets(area) {
				items[it.ID] = it
			}
		}
		if next, err = answer.next(*next); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 && jpeg2000 != "" {
		return nil, fault.Newf(fault.Invalid, "imagery_unsupported",
			"The files of %s are JPEG 2000, and only Cloud-Optimized GeoTIFF is read: use a catalog that serves those.", jpeg2000)
	}
	return ordered(items), nil
}

func ordered(items map[string]*item.Item) []vegetation.Scene {
	var list []*item.Item
	for _, it := range items {
		list = append(list, it)
	}
	slices.SortFunc(list, item.Compare)
	scenes := make([]vegetation.Scene, len(list))
	for i, it := range list {
		scenes[i] = it.Scene()
	}
	return scenes
}

// page fetches one page of the search.
func (c *Client) page(ctx context.Context, ask query) (answer page, err error) {
	err = c.remote.Do(ctx, "the scenes of "+c.root.Host, ask.request, func(got *http.Response) error {
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
