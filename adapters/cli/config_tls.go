package cli

import (
	"encoding/base64"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
)

var (
	// hostName matches the name of a host, or an IP address.
	hostName = regexp.MustCompile(`^[a-z0-9._:-]+$`)
	// publicName matches what an authority makes certificates for.
	publicName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$`)
)

// AllowedHosts returns the names that links may lead to, in lower case; none where any may.
func (c *Config) AllowedHosts() []string {
	if c.Hosts == "" {
		return c.ACMENames()
	}
	return words(strings.ToLower(c.Hosts))
}

// ACMENames returns the names whose certificates are fetched, in lower case.
func (c *Config) ACMENames() []string { return words(strings.ToLower(c.ACMEDomains)) }

// ACMEKey returns the key of TILTH_ACME_EAB_KEY: base64url, with or without padding.
func (c *Config) ACMEKey() ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(c.ACMEEABKey, "="))
}

// Base returns the address under which a server that listens at addr is known.
func (c *Config) Base(addr string) string {
	switch {
	case c.PublicURL != "":
		return strings.TrimSuffix(c.PublicURL, "/")
	case c.ACMEDomains != "":
		return "https://" + c.ACMENames()[0]
	case c.TLSCert != "":
		return "https://" + addr
	}
	return "http://" + addr
}

// checkTLS checks the settings of certificates and names; `tilth doctor` looks at what they name.
func (c *Config) checkTLS(check checker) {
	check((c.TLSCert == "") == (c.TLSKey == ""), "TILTH_TLS_KEY", "it and TILTH_TLS_CERT must be set together")
	for _, host := range c.AllowedHosts() {
		check(hostName.MatchString(host), "TILTH_HOSTS", "%q is not a name or an address without a port", host)
	}
	if c.ACMEDomains == "" {
		check(c.ACMEHTTPAddr == "", "TILTH_ACME_DOMAINS", "it must be set if TILTH_ACME_HTTP_ADDR is")
		check(c.ACMEEABID == "" && c.ACMEEABKey == "", "TILTH_ACME_DOMAINS", "it must be set if TILTH_ACME_EAB_ID or TILTH_ACME_EAB_KEY is")
		return
	}
	check(c.TLSCert == "", "TILTH_TLS_CERT", "only one of it and TILTH_ACME_DOMAINS may be set")
	check(len(c.ACMENames()) > 0, "TILTH_ACME_DOMAINS", "it names no domain")
	for _, name := range c.ACMENames() {
		check(publicName.MatchString(name), "TILTH_ACME_DOMAINS", "%q is not a public name such as tilth.example.org; write one with other letters in its xn-- form", name)
	}
	u, err := url.Parse(c.ACMEDirectory)
	check(err == nil && u.Scheme == "https" && u.Host != "", "TILTH_ACME_DIRECTORY", "%q is not an https address", c.ACMEDirectory)
	if c.ACMEEmail != "" {
		address, err := mail.ParseAddress(c.ACMEEmail)
		check(err == nil && address.Address == c.ACMEEmail, "TILTH_ACME_EMAIL", "%q is not an e-mail address such as ops@example.org", c.ACMEEmail)
	}
	check((c.ACMEEABID == "") == (c.ACMEEABKey == ""), "TILTH_ACME_EAB_KEY", "it and TILTH_ACME_EAB_ID must be set together")
	_, err = c.ACMEKey()
	check(err == nil, "TILTH_ACME_EAB_KEY", "it is not base64url; copy it as the authority shows it")
	_, _, err = net.SplitHostPort(c.ACMEHTTPAddr)
	check(c.ACMEHTTPAddr == "" || err == nil, "TILTH_ACME_HTTP_ADDR", "%q is not HOST:PORT", c.ACMEHTTPAddr)
}
