package stac

import (
	"net/url"
	"slices"
	"strings"

	"tilth/core/fault"
)

// service is what is known of a STAC API by its host.
type service struct {
	collection string
	signAt     string // its token endpoint
}

// services are the known APIs. Copernicus Data Space is among them so that its own collection is
// found, whose JPEG 2000 files are then refused by name.
var services = map[string]service{
	"earth-search.aws.element84.com": {collection: DefaultCollection},
	"planetarycomputer.microsoft.com": {
		collection: "sentinel-2-l2a",
		// https://planetarycomputer.microsoft.com/docs/concepts/sas
		signAt: "https://planetarycomputer.microsoft.com/api/sas/v1/token",
	},
	"stac.dataspace.copernicus.eu": {collection: "sentinel-2-l2a"},
}

// place is the address and the collections to search.
type place struct {
	root        *url.URL
	collections []string
	signAt      *url.URL // nil: addresses are not signed
}

const signParameter = "sign_at"

// parseAddress parses the address that New documents. The options take precedence, then the
// address, then what is known of its host.
func parseAddress(root string, o Options) (place, error) {
	u, err := web(root)
	if err != nil {
		return place{}, fault.New(fault.Invalid, "imagery_address", "The address of the STAC API must begin with http:// or https://.")
	}
	known := services[strings.ToLower(u.Hostname())]
	p := place{root: u, collections: slices.Clone(o.Collections)}
	if before, name, ok := strings.Cut(strings.TrimRight(u.Path, "/"), "/collections/"); ok && name != "" && !strings.Contains(name, "/") {
		u.Path, u.RawPath = before, ""
		if len(p.collections) == 0 {
			p.collections = []string{name}
		}
	}
	if len(p.collections) == 0 {
		p.collections = []string{DefaultCollection}
		if known.collection != "" {
			p.collections = []string{known.collection}
		}
	}
	signAt, query := known.signAt, u.Query()
	if query.Has(signParameter) {
		signAt = query.Get(signParameter)
		query.Del(signParameter)
		u.RawQuery = query.Encode()
	}
	if o.SignAt != "" {
		signAt = o.SignAt
	}
	if signAt == "" {
		return p, nil
	}
	if p.signAt, err = web(signAt); err != nil {
		return place{}, fault.New(fault.Invalid, "imagery_address", "The address of the token endpoint must begin with http:// or https://.")
	}
	return p, nil
}

func web(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, &url.Error{Op: "parse", URL: u.Redacted(), Err: url.InvalidHostError(u.Host)}
	}
	return u, nil
}
