// Package origin finds where a request came from and under which address it reached us, also behind reverse proxies. It
// refuses nothing.
package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Rules define what is trusted in a request: what proxies report counts only if the connection comes from a trusted one.
type Rules struct {
	// Public is the address that clients use, such as https://tilth.example.org; links
	// are built from it where it is set.
	Public *url.URL
	// Hosts are the host names that requests may use, in lower case and without a port; none: any.
	// Links in answers to a request under another name lead to the first.
	Hosts []string
	// Trusted are the networks of the reverse proxies.
	Trusted []netip.Prefix
}

var hostPattern = regexp.MustCompile(`^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$`)

// Base returns the scheme and authority of links in answers, without a slash at the end.
func (o Rules) Base(r *http.Request) string {
	if o.Public != nil {
		return strings.TrimSuffix(o.Public.String(), "/")
	}
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if o.trusts(peer(r)) {
		if p := strings.ToLower(last(r.Header, "X-Forwarded-Proto")); p == "http" || p == "https" {
			scheme = p
		}
		if h := last(r.Header, "X-Forwarded-Host"); h != "" {
			host = h
		}
	}
	return scheme + "://" + o.valid(host)
}

// valid returns a host that links may lead to: the one given if it is well-formed and among those allowed.
func (o Rules) valid(host string) string {
	if !hostPattern.MatchString(host) {
		host = "localhost"
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if len(o.Hosts) == 0 || slices.Contains(o.Hosts, strings.ToLower(strings.Trim(name, "[]"))) {
		return host
	}
	if port != "" {
		return net.JoinHostPort(o.Hosts[0], port)
	}
	return o.Hosts[0]
}

// Client returns the address of the caller: that of the connection, or, behind trusted
// proxies, the last one in X-Forwarded-For that is not a trusted proxy itself.
func (o Rules) Client(r *http.Request) netip.Addr {
	at := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && o.trusts(at); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = hop.Unmap()
	}
	return at
}

// Secure reports whether a request came over TLS, its own or that of a trusted proxy, or from this machine.
func (o Rules) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if proto := last(r.Header, "X-Forwarded-Proto"); proto != "" && o.trusts(peer(r)) {
		return strings.EqualFold(proto, "https")
	}
	return o.Client(r).IsLoopback()
}

func (o Rules) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(o.Trusted, func(network netip.Prefix) bool { return network.Contains(at) })
}

func peer(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	at, _ := netip.ParseAddr(host) // a unix socket has none; no prefix contains the zero Addr
	return at.Unmap()
}

// last returns the value that the nearest proxy wrote: proxies append.
func last(h http.Header, name string) string {
	values := strings.Split(strings.Join(h.Values(name), ","), ",")
	return strings.TrimSpace(values[len(values)-1])
}
