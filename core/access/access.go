// Package access defines who may do what, and where: callers and the company they act in,
// the scope of repository calls, the table of permissions, roles, API keys, share grants,
// and the rules of passwords. It compares no password with its hash, and reads no store.
package access

import "slices"

// Principal is an authenticated caller, built on every request together with the version of its company's policy.
type Principal struct {
	UserID        int64
	Name          string
	Email         string
	CompanyID     int64 // 0: an operator outside any company
	Operator      bool  // belongs to no company, may act in one
	PolicyVersion int64 // version of the company's roles at the time of the request; 0: not known, as in the background

	ClientID int64    // the PACT client of the request, which is not a user; 0: a user
	KeyID    int64    // the API key of the request; 0: a token
	KeySlugs []string // patterns that the key is restricted to; none: all that its user may do
}

// Within reports whether the credential permits a slug: a key may permit less than its user's roles, and never more.
func (p Principal) Within(slug Slug) bool {
	return len(p.KeySlugs) == 0 || slices.ContainsFunc(p.KeySlugs, func(pattern string) bool { return Match(pattern, slug) })
}

// Scope is the company whose records a repository call may touch. No call is unscoped: the zero Scope matches nothing.
type Scope struct {
	company int64
	sight   sight
	order   Slug // of toOrder: the permission to order
	lapsed  bool
}

// sight is what a scope shows of other companies.
type sight uint8

const (
	nothing sight = iota
	shared        // what grants share
	toOrder       // the company's own fields, and those for which something may be ordered
)

// Own is the scope of a company's own records.
func Own(companyID int64) Scope { return Scope{company: companyID} }

// SharedWith is the read-only scope of what other companies share with a company.
func SharedWith(companyID int64) Scope { return Scope{company: companyID, sight: shared} }

// ToOrder is the read-only scope of the fields, with their outlines, for which a company may order a product: its own, and those
// that others share with it with the permission to create that product. Of other records it shows only the company's own.
func ToOrder(companyID int64, create Permission) Scope {
	return Scope{company: companyID, sight: toOrder, order: create.slug}
}

// WithLapsed returns the scope with the company's own records that are hidden from it because a grant has ended: orders
// of fields that were shared. Background work needs them in order to end them; no request does.
func (s Scope) WithLapsed() Scope { s.lapsed = true; return s }

// Lapsed reports whether the scope shows what is hidden because a grant has ended.
func (s Scope) Lapsed() bool { return s.lapsed }

// Company returns the company that acts. 0 matches no record.
func (s Scope) Company() int64 { return s.company }

// Shared reports whether the scope reaches records of others, which are only read.
func (s Scope) Shared() bool { return s.sight != nothing }

// ToOrder reports whether the scope is that of the fields for which something may be ordered.
func (s Scope) ToOrder() bool { return s.sight == toOrder }

// Ordered returns the permission that a grant of such a field must give.
func (s Scope) Ordered() Slug { return s.order }

// Scope returns the caller's scope; that of an operator outside any company matches nothing.
func (p Principal) Scope(shared bool) Scope {
	if shared {
		return SharedWith(p.CompanyID)
	}
	return Own(p.CompanyID)
}
