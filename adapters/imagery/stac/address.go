package stac

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"tilth/core/fault"
)

// service is what is known about the STAC API of a host.
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
	"explorer.digitalearth.africa": {collection: "s2_l2a"},
	"stac.dataspace.copernicus.eu": {collection: "sentinel-2-l2a"},
}

const signParameter = "sign_at"

// parseAddress parses the address that New documents. The options take precedence, then the
// address, then what is known about its host. signAt is nil where addresses are not signed.
func parseAddress(address string, o Options) (root *url.URL, collections []string, signAt *url.URL, err error) {
	root, err = web(address)
	if err != nil {
		return nil, nil, nil, fault.New(fault.Invalid, "imagery_address", "The address of the STAC API must begin with http:// or https://.")
	}
	known := services[strings.ToLower(root.Hostname())]
	collections = slices.Clone(o.Collections)
	named := cmp.Or(known.collection, DefaultCollection)
	if before, name, ok := strings.Cut(strings.TrimRight(root.Path, "/"), "/collections/"); ok && name != "" && !strings.Contains(name, "/") {
		root.Path, root.RawPath, named = before, "", name
	}
	if len(collections) == 0 {
		collections = strings.Split(named, ",")
	}
	sign, query := known.signAt, root.Query()
	if query.Has(signParameter) {
		sign = query.Get(signParameter)
		query.Del(signParameter)
		root.RawQuery = query.Encode()
	}
	if sign = cmp.Or(o.SignAt, sign); sign == "" {
		return root, collections, nil, nil
	}
	if signAt, err = web(sign); err != nil {
		err = fault.New(fault.Invalid, "imagery_address", "The address of the token endpoint must begin with http:// or https://.")
	}
	return root, collections, signAt, err
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
