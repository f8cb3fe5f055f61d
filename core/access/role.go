package access

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tilth/core/fault"
	"tilth/core/record"
)

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

// DefaultRoles are the roles of a new company: owner may do everything, editor everything but users, roles, keys and the
// wallet, viewer may view everything but the audit trail.
func DefaultRoles() []RoleTemplate {
	editor := []string{"*.view"}
	for _, resource := range []Resource{
		Farms, Fields, Seasons, Cultivations, Fertilizations, Assessments, AOIs, ProfileOrders, VIMaps, ZoningMaps, ElevationMaps, SoilMaps,
		StratificationMaps, SamplePlans, StratificationOrders, ShareGrants, Webhooks, Samples,
	} {
		editor = append(editor, resource.Name+".*")
	}
	return []RoleTemplate{
		{Name: RoleOwner, Slugs: []string{"*"}},
		{Name: RoleEditor, Slugs: editor},
		{Name: RoleViewer, Slugs: []string{"*.view"}},
	}
}

// Role is a named set of permissions of a company.
type Role struct {
	ID    int64
	Name  string
	Slugs []string // patterns, see Match
	Users int64    `audit:"-"` // how many hold it
	record.External
}

// BuiltIn reports whether the role is owner, which nobody can change or delete: no member
// could repair a company whose owner lacks permissions.
func (r Role) BuiltIn() bool { return r.Name == RoleOwner }

// Check normalises a role (its name trimmed, its slugs sorted without repeats) and returns what is wrong with it.
func (r *Role) Check() fault.Fields {
	f := fault.Fields{}
	r.Name = strings.TrimSpace(r.Name)
	if n := utf8.RuneCountInString(r.Name); n < 1 || n > 64 || strings.ContainsFunc(r.Name, isControl) {
		f.Add("name", "A name of 1 to 64 characters.")
	}
	for _, slug := range r.Slugs {
		if !KnownPattern(slug) {
			f.Addf("slugs", "%q is not a permission; see x-permission of the routes, or give a pattern such as farm.* or *.view.", slug)
		}
	}
	r.External.Check(f)
	r.Slugs = slices.Clone(r.Slugs)
	slices.Sort(r.Slugs)
	r.Slugs = slices.Compact(r.Slugs)
	return f
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f || c == utf8.RuneError }

// ErrOwnerFixed refuses a change of the built-in role.
func ErrOwnerFixed() error {
	return fault.New(fault.Invalid, "role_built_in", "The role owner is built in: it can be neither changed nor deleted.")
}

// MayGrant refuses (Invalid, code role_exceeds_own) to grant or to revoke permissions that the caller does not hold:
// otherwise permission to edit users would be permission to do everything.
func MayGrant(held []string, patterns []string) error {
	for _, p := range patterns {
		if !Covers(held, p) {
			return fault.Newf(fault.Invalid, "role_exceeds_own", "You do not hold %s yourself, so you cannot decide who does.", p)
		}
	}
	return nil
}

// KeepOwner refuses (Invalid, code last_owner) a change after which no enabled user would hold the role owner.
func KeepOwner(before, after int64) error {
	if before > 0 && after == 0 {
		return fault.New(fault.Invalid, "last_owner", "This is the last enabled owner of the company: make another one first.")
	}
	return nil
}
