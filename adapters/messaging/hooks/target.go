package hooks

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
)

// Rules state where webhooks may be posted to.
type Rules struct {
	AllowHTTP    bool // also without TLS
	AllowPrivate bool // also this machine and its networks
}

// Check implements ports.WebhookSender.
func (s *Sender) Check(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return "This is not a web address such as https://hooks.example.org/tilth."
	case u.Scheme != "https" && u.Scheme != "http":
		return "The address must begin with https://."
	case u.Scheme == "http" && !s.rules.AllowHTTP:
		return "The address must begin with https://; this installation does not post without TLS."
	case u.User != nil:
		return "The address must not hold a user or a password; the signature shows who sends."
	case u.Fragment != "":
		return "The address must not have a fragment (#…); it would not be sent."
	}
	if problem := checkPort(u.Port()); problem != "" {
		return problem
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !s.rules.AllowPrivate && !public(addr) {
		return refusedAddress
	}
	return ""
}

// refusedAddress is the problem of every address that is not public. It does not repeat what
// a name resolved to.
const refusedAddress = "The address is not public: webhooks are not sent into private networks."

// checkPort refuses the ports of other well-known services, as browsers do: below 1024 only
// 80 and 443 are web servers.
func checkPort(port string) string {
	if port == "" {
		return ""
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 || n < 1024 && n != 80 && n != 443 {
		return fmt.Sprintf("Port %s is not allowed: use 80, 443, or one from 1024 to 65535.", port)
	}
	return ""
}

// control checks the address that is about to be dialled, after the name was resolved: a
// check of the name, or of an earlier resolution, would leave a gap in which it changes.
func (s *Sender) control(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return err
	}
	if !s.rules.AllowPrivate && !public(addr) {
		return errRefused
	}
	return nil
}

// closed are the blocks within the global unicast space that are not public, from the
// IANA special-purpose address registries (RFC 6890 and its updates), and the address at
// which one cloud serves its own machines. Cloud metadata at 169.254.169.254,
// 100.100.100.200 and fd00:ec2::254 lies in link-local, shared and unique local space.
var closed = prefixes(
	"0.0.0.0/8",        // this network
	"100.64.0.0/10",    // shared address space of carriers (RFC 6598)
	"168.63.129.16/32", // Azure's platform
	"192.0.0.0/24",     // IETF protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays, deprecated
	"198.18.0.0/15",    // benchmarking
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"240.0.0.0/4",      // reserved, and broadcast
	"2001::/23",        // IETF protocol assignments, Teredo among them
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: an IPv4 address of any kind inside
	"3fff::/20",        // documentation (RFC 9637)
)

// globalIPv6 is the one block from which public IPv6 addresses are assigned. Outside of it are loopback, unique local, link-local,
// multicast, IPv4-mapped (::ffff:0:0/96) and both NAT64 blocks (64:ff9b::/96, 64:ff9b:1::/48), behind which any IPv4 address may be.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// public reports whether an address belongs to the public internet.
func public(addr netip.Addr) bool {
	if addr.Zone() != "" || !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Is6() && !globalIPv6.Contains(addr) {
		return false
	}
	for _, block := range closed {
		if block.Contains(addr) {
			return false
		}
	}
	return true
}
