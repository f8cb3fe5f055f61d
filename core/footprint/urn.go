package footprint

import (
	"regexp"

	"tilth/core/fault"
)

// Bounds of lists of identifiers.
const (
	maxURNs = 50
	maxURN  = 500 // bytes
)

// urn is the syntax of RFC 8141, section 2: urn:NID:NSS and optional components.
var urn = regexp.MustCompile(`^(?i:urn):[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]:(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$`)

// checkURNs returns what is wrong with a list of URNs.
func checkURNs(f fault.Fields, name string, list []string) {
	if len(list) > maxURNs {
		f.Addf(name, "At most %d.", maxURNs)
	}
	seen := map[string]bool{}
	for i, one := range list {
		switch {
		case len(one) > maxURN || !urn.MatchString(one):
			f.Addf(name, "Item %d is not a URN such as urn:gtin:4712345060507 or urn:pact:example.org:supplier-id:1234 (RFC 8141).", i+1)
		case seen[one]:
			f.Addf(name, "Item %d occurs twice.", i+1)
		}
		seen[one] = true
	}
}
