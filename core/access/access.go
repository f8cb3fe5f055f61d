// Package access says who may do what, where: the company a caller acts in, the
// scope that every repository call needs, permission slugs, and the roles a company
// starts with. It checks no password and reads no table.
package access

import (
	"slices"
	"strings"

	"tilth/core/fault"
)

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

// Company gives the company that acts. 0 matches no record.
func (s Scope) Company() int64 { return s.company }

// Shared reports whether the scope is that of records shared by others.
func (s Scope) Shared() bool { return s.shared }

// Scope gives the caller's scope; an operator outside a company gets one that is empty.
func (p Principal) Scope(shared bool) Scope {
	if shared {
		return SharedWith(p.CompanyID)
	}
	return Own(p.CompanyID)
}

// Slug is a permission: "<resource>.<verb>", for instance "cultivation.view".
type Slug string

// Reads reports whether the slug is for looking only.
func (s Slug) Reads() bool { return strings.HasSuffix(string(s), ".view") }

// confidential are the resources that "every resource" leaves out: the audit trail
// tells who did what, which is for those who are given it by name, or everything.
var confidential = []string{"audit"}

// Permission is one guarded action: the slug it needs, and the words a refusal
// names: the action ("list", "partial_update", …) and the view ("CultivationView").
type Permission struct {
	Slug   Slug
	Action string
	View   string
	// Service is what the caller's company must have subscribed to besides; empty: nothing.
	Service Service
}

// Service is something that companies subscribe to.
type Service string

// Unsubscribed is the refusal of an action for want of a subscription, whatever the role.
func (p Permission) Unsubscribed() error {
	return fault.Newf(fault.Forbidden, "subscription_required",
		"Your company has no active subscription to %s; ask the operator for one.", p.Service).
		With("service", string(p.Service))
}

// Denied is the refusal of an action for want of a permission.
func (p Permission) Denied() error {
	return fault.New(fault.Forbidden, "permission_denied",
		"You do not have permission to perform this action: "+string(p.Slug)+" is required.").
		With("required_permission", string(p.Slug)).With("action", p.Action).With("resource", p.View)
}

// Match reports whether a granted pattern covers a slug. A pattern is a slug in
// which the resource or the verb, or the whole, may be "*". "*.view" does not cover
// what is confidential (audit.view); "*" does.
func Match(pattern string, slug Slug) bool {
	if pattern == "*" || pattern == string(slug) {
		return true
	}
	pr, pv, ok := strings.Cut(pattern, ".")
	sr, sv, ok2 := strings.Cut(string(slug), ".")
	return ok && ok2 && (pr == sr || pr == "*" && !slices.Contains(confidential, sr)) && (pv == "*" || pv == sv)
}

// RoleTemplate is a role that every company starts with.
type RoleTemplate struct {
	Name  string
	Slugs []string // patterns, see Match
}

// Names of the roles that every company starts with.
const (
	RoleOwner  = "owner"
	RoleEditor = "editor"
	RoleViewer = "viewer"
)

// DefaultRoles are the roles of a new company: owner may do everything, editor
// everything but users, roles, keys and the wallet, viewer may look at everything but
// the audit trail.
func DefaultRoles() []RoleTemplate {
	editor := []string{"*.view"}
	for _, resource := range []string{
		"farm", "field", "season", "cultivation", "fertilization", "assessment", "aoi", "vi-profile",
		"stratification_map", "sample_plan_map", "stratification_order", "share_grant", "webhook", "sample",
	} {
		editor = append(editor, resource+".*")
	}
	return []RoleTemplate{
		{Name: RoleOwner, Slugs: []string{"*"}},
		{Name: RoleEditor, Slugs: editor},
		{Name: RoleViewer, Slugs: []string{"*.view"}},
	}
}
