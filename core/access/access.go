// Package access says who may do what, where: the company a caller acts in, the
// scope that every repository call needs, permission slugs, and the roles a company
// starts with. It checks no password and reads no table.
package access

import "slices"

// Principal is an authenticated caller. It is made by the identity adapter's
// verification, together with the version of its company's policy, on every request.
type Principal struct {
	UserID        int64
	Name          string
	Email         string
	CompanyID     int64 // 0: an operator outside any company
	Operator      bool  // belongs to no company, may act in one
	PolicyVersion int64 // version of the company's roles at the time of the request

	KeyID    int64    // the API key that was shown; 0: a token
	KeySlugs []string // patterns that the key is narrowed to; none: all that its user may do
}

// Within reports whether the credential that was shown reaches a slug: a key may be
// narrower than its user, and is never wider.
func (p Principal) Within(slug Slug) bool {
	return len(p.KeySlugs) == 0 || slices.ContainsFunc(p.KeySlugs, func(pattern string) bool { return Match(pattern, slug) })
}

// Scope is the company whose records a repository call may touch. There is no
// unscoped call: the zero Scope matches nothing.
type Scope struct {
	company int64
	shared  bool
}

// Own is the scope of a company's own records.
func Own(companyID int64) Scope { return Scope{company: companyID} }

// SharedWith is the read-only scope of what other companies share with a company.
func SharedWith(companyID int64) Scope { return Scope{company: companyID, shared: true} }

// Company returns the company that acts. 0 matches no record.
func (s Scope) Company() int64 { return s.company }

// Shared reports whether the scope is that of records shared by others.
func (s Scope) Shared() bool { return s.shared }

// Scope returns the caller's scope; an operator outside a company gets one that is empty.
func (p Principal) Scope(shared bool) Scope {
	if shared {
		return SharedWith(p.CompanyID)
	}
	return Own(p.CompanyID)
}
