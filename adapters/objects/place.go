package objects

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// place is a prefix of a bucket, and how its server is reached.
type place struct {
	bucket, prefix string // the prefix without slashes at its ends; empty: the whole bucket
	host           string
	secure         bool
	region         string // empty: asked for
	lookup         minio.BucketLookupType
}

const amazon = "s3.amazonaws.com"

// parsePlace parses s3://BUCKET/PREFIX?endpoint=…&region=…&path_style=….
func parsePlace(address string) (place, error) {
	u, err := url.Parse(address)
	if err != nil {
		return place{}, errors.New("the address of the objects is not a valid s3://BUCKET/PREFIX?endpoint=…")
	}
	if u.User != nil {
		return place{}, errors.New("the address of the objects holds a key. Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a file of credentials, and leave it out")
	}
	at := place{bucket: u.Host, prefix: strings.Trim(path.Clean("/"+u.Path), "/"), secure: true}
	if at.bucket == "" || u.Port() != "" || u.Fragment != "" {
		return place{}, fmt.Errorf("the address %q of the objects names no bucket: it must be s3://BUCKET/PREFIX?endpoint=…", address)
	}
	known := []string{"endpoint", "path_style", "region"}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, fmt.Errorf("the address %q of the objects: %w", address, err)
	}
	for name, values := range query {
		if !slices.Contains(known, name) || len(values) != 1 {
			return place{}, fmt.Errorf("the address of the objects has an unknown or repeated parameter %q. Fix: use %s, each once", name, strings.Join(known, ", "))
		}
	}
	at.region = cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	if text := query.Get("path_style"); text != "" {
		inPath, err := strconv.ParseBool(text)
		if err != nil {
			return place{}, fmt.Errorf("the address of the objects: path_style must be true or false, not %q", text)
		}
		if at.lookup = minio.BucketLookupDNS; inPath {
			at.lookup = minio.BucketLookupPath
		}
	}
	at.host = amazon
	if endpoint := cmp.Or(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")); endpoint != "" {
		if at.host, at.secure, err = parseEndpoint(endpoint); err != nil {
			return place{}, err
		}
		at.region = cmp.Or(at.region, "us-east-1") // the usual value for servers without regions
	}
	return at, nil
}

// parseEndpoint parses https://HOST:PORT, or http:// where the network is trusted.
func parseEndpoint(text string) (host string, secure bool, err error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false, fmt.Errorf("the endpoint %q of the objects is not of the form https://HOST:PORT, or http://HOST:PORT in a network that is trusted", text)
	}
	return u.Host, u.Scheme == "https", nil
}

var errNoCredentials = errors.New("no credentials were found. " +
	"Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_SHARED_CREDENTIALS_FILE and AWS_PROFILE, or give this machine a role")

// newCredentials returns the usual chain: the environment, the shared file, and the role that a web identity, a container
// or a machine has.
func newCredentials() *credentials.Credentials {
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	// Outside of Amazon's machines the address of the service that knows their role answers nobody; it is asked last, and
	// not at all where the usual variable disables it.
	if off, _ := strconv.ParseBool(os.Getenv("AWS_EC2_METADATA_DISABLED")); !off {
		chain = append(chain, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(chain)
}
