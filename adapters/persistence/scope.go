package persistence

import "tilth/core/access"

// condition is a piece of WHERE with its arguments.
type condition struct {
	sql  string
	args []any
}

// when returns the condition of an expression and the arguments of its question marks.
func when(sql string, args ...any) condition { return condition{sql, args} }

// nothing is the condition of an empty scope.
var nothing = when("1 = 0")

// own restricts the rows of an alias to the company that acts. Every table of a
// company's records goes through it.
func own(alias string, scope access.Scope) condition {
	if scope.Company() <= 0 {
		return nothing
	}
	return when(alias+".company_id = ?", scope.Company())
}

// writable reports whether anything may be written under a scope: what others share is
// only read, and outside a company there is nothing.
func writable(scope access.Scope) bool { return !scope.Shared() && scope.Company() > 0 }

// grantOfField is the target of grants on a field f, its farm or everything, as SQL over a grant g.
const grantOfField = "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = f.farm_id) OR (g.target = 'field' AND g.field_id = f.id))"

// granted is the condition that a live, accepted grant of the alias's company gives a
// view to the company that acts, over what target says.
func (s *session) granted(alias, target string, view access.Slug, scope access.Scope) condition {
	return when(
		"EXISTS (SELECT 1 FROM share_grants AS g WHERE g.grantee_company_id = ? AND g.company_id = "+alias+".company_id"+
			" AND g.status = 'accepted' AND (g.ends_on IS NULL OR g.ends_on >= ?) AND g.slugs LIKE ? AND "+target+")",
		scope.Company(), dayAt(s.today), `%"`+string(view)+`"%`)
}

// grantors narrows the rows of an alias to the companies that share anything, so that
// the search starts from their index and not from the whole table.
func grantors(alias string, scope access.Scope) condition {
	return when(
		alias+".company_id IN (SELECT g.company_id FROM share_grants AS g WHERE g.grantee_company_id = ? AND g.status = 'accepted')",
		scope.Company())
}

// ofSharedField is the records that a condition ties to a live field f which is shared
// with a view.
func (s *session) ofSharedField(tie string, view access.Slug, scope access.Scope) condition {
	inner := s.granted("f", grantOfField, view, scope)
	return when(
		"EXISTS (SELECT 1 FROM fields AS f WHERE f.company_id = t.company_id AND "+tie+" AND f.deleted_at IS NULL AND "+inner.sql+")",
		inner.args...)
}

// inScope returns the conditions of the rows of table t that a scope shows: own ones, or
// of another company's those that shared selects.
func (s *session) inScope(scope access.Scope, shared func(*session, access.Scope) condition) []condition {
	switch {
	case !scope.Shared():
		return []condition{own("t", scope)}
	case scope.Company() <= 0:
		return []condition{nothing}
	}
	return []condition{grantors("t", scope), shared(s, scope)}
}

// where adds conditions to a query of any kind.
func where[Q interface {
	Where(sql string, args ...any) Q
}](q Q, conditions ...condition) Q {
	for _, c := range conditions {
		q = q.Where(c.sql, c.args...)
	}
	return q
}
