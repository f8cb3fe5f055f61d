package persistence

import (
	"github.com/uptrace/bun"

	"tilth/core/access"
)

// condition is a piece of WHERE with its arguments.
type condition struct {
	sql  string
	args []any
}

// nothing is the condition of an empty scope.
var nothing = condition{sql: "1 = 0"}

// own restricts the rows of an alias to the company that acts. Every table of a
// company's records goes through it.
func own(alias string, scope access.Scope) condition {
	if scope.Company() <= 0 {
		return nothing
	}
	return condition{alias + ".company_id = ?", []any{scope.Company()}}
}

// writable reports whether anything may be written under a scope: what others share is
// only read, and outside a company there is nothing.
func writable(scope access.Scope) bool { return !scope.Shared() && scope.Company() > 0 }

// Targets of share grants, as SQL over a grant g and a record.
const (
	grantOfField = "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = f.farm_id) OR (g.target = 'field' AND g.field_id = f.id))"
	grantOfFarm  = "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = t.id))"
)

// granted is the condition that a live, accepted grant of the alias's company gives a
// view to the company that acts, over what target says.
func (s *session) granted(alias, target string, view access.Slug, scope access.Scope) condition {
	return condition{
		"EXISTS (SELECT 1 FROM share_grants AS g WHERE g.grantee_company_id = ? AND g.company_id = " + alias + ".company_id" +
			" AND g.status = 'accepted' AND (g.ends_on IS NULL OR g.ends_on >= ?) AND g.slugs LIKE ? AND " + target + ")",
		[]any{scope.Company(), day{s.today}, `%"` + string(view) + `"%`},
	}
}

// grantors narrows the rows of an alias to the companies that share anything, so that
// the search starts from their index and not from the whole table.
func grantors(alias string, scope access.Scope) condition {
	return condition{
		alias + ".company_id IN (SELECT g.company_id FROM share_grants AS g WHERE g.grantee_company_id = ? AND g.status = 'accepted')",
		[]any{scope.Company()},
	}
}

// sharedFarm is the farms of grants on a farm or on everything. A grant on a field
// shows the field alone.
func (s *session) sharedFarm(scope access.Scope) condition {
	return s.granted("t", grantOfFarm, "farm.view", scope)
}

// sharedField is the fields of grants on the field, its farm or everything.
func (s *session) sharedField(scope access.Scope) condition {
	return s.ofSharedField("f.id = t.id", "field.view", scope)
}

// ofSharedField is the records that a condition ties to a live field f which is shared
// with a view.
func (s *session) ofSharedField(tie string, view access.Slug, scope access.Scope) condition {
	inner := s.granted("f", grantOfField, view, scope)
	return condition{
		"EXISTS (SELECT 1 FROM fields AS f WHERE f.company_id = t.company_id AND " + tie + " AND f.deleted_at IS NULL AND " + inner.sql + ")",
		inner.args,
	}
}

// sharedSeason is the seasons that a live cultivation of a shared field uses.
func (s *session) sharedSeason(scope access.Scope) condition {
	inner := s.granted("f", grantOfField, "season.view", scope)
	return condition{
		"EXISTS (SELECT 1 FROM cultivations AS c JOIN fields AS f ON f.id = c.field_id" +
			" WHERE c.company_id = t.company_id AND c.season_id = t.id AND c.deleted_at IS NULL AND f.deleted_at IS NULL AND " + inner.sql + ")",
		inner.args,
	}
}

// where adds conditions to a query.
func where(q *bun.SelectQuery, conditions ...condition) *bun.SelectQuery {
	for _, c := range conditions {
		q = q.Where(c.sql, c.args...)
	}
	return q
}
