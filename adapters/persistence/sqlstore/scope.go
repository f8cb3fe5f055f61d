package sqlstore

import (
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"tilth/adapters/persistence/prepared"
	"tilth/core/access"
)

// SharedFarm returns the condition of farms that a grant on the farm or on everything shares. A grant on a field shows the field alone.
func SharedFarm(s *Session, scope access.Scope) Condition {
	return s.Granted("t", "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = t.id))", "farm.view", scope)
}

// SharedField is the condition of fields that a grant on the field, its farm or everything shares.
var SharedField = WithField("f.id = t.id", "field.view")

// WithField returns the condition of the records that tie connects to a field f, and that are shared with it under a view.
func WithField(tie string, view access.Slug) func(*Session, access.Scope) Condition {
	return func(s *Session, scope access.Scope) Condition { return s.OfSharedField(tie, view, scope) }
}

// Condition is a piece of WHERE with its arguments.
type Condition struct {
	SQL  string
	Args []any
}

// AppendQuery implements schema.QueryAppender, for Where("?", condition).
func (c Condition) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	return gen.AppendQuery(b, c.SQL, c.Args...), nil
}

// When returns the condition of an expression and the arguments of its question marks.
func When(sql string, args ...any) Condition { return Condition{sql, args} }

// Nothing is the condition of an empty scope.
var Nothing = When("1 = 0")

// Among returns the condition that a column has one of some ids.
func Among(column string, ids []int64) Condition {
	if len(ids) == 0 {
		return Nothing
	}
	return When(column+" IN (?)", prepared.List(ids))
}

// Own restricts the rows of an alias to the company that acts, for every table of a company's records.
func Own(alias string, scope access.Scope) Condition {
	if scope.Company() <= 0 {
		return Nothing
	}
	return When(alias+".company_id = ?", scope.Company())
}

// OwnAmong is [Own] for rows that other conditions find. SQLite without table statistics, and PostgreSQL with those of a minute
// ago, consider a company's index narrower than a list of ids, and would read all rows of the company: the plus rules the index out.
func OwnAmong(alias string, scope access.Scope) Condition { return Own("+"+alias, scope) }

// Writable reports whether a scope may be written: shared records are only read, and a scope without a company has none.
func Writable(scope access.Scope) bool { return !scope.Shared() && scope.Company() > 0 }

// GrantOfField is the target of grants on a field f, its farm or everything, as SQL over a grant g.
const GrantOfField = "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = f.farm_id) OR (g.target = 'field' AND g.field_id = f.id))"

// Granted returns the condition that a live, accepted grant of the alias's company over target includes a slug, in which % stands
// for any ending.
func (s *Session) Granted(alias, target string, view access.Slug, scope access.Scope) Condition {
	if scope.ToOrder() {
		view = scope.Ordered()
	}
	return When(
		"EXISTS (SELECT 1 FROM share_grants AS g WHERE g.grantee_company_id = ? AND g.company_id = "+alias+".company_id"+
			" AND g.status = 'accepted' AND (g.ends_on IS NULL OR g.ends_on >= ?) AND g.slugs LIKE ? AND "+target+")",
		scope.Company(), DayAt(s.Today), `%"`+string(view)+`"%`)
}

// Grantors narrows an alias to the companies that share anything: the search starts from their index.
func Grantors(alias string, scope access.Scope) Condition {
	return When(
		alias+".company_id IN (SELECT g.company_id FROM share_grants AS g WHERE g.grantee_company_id = ? AND g.status = 'accepted')",
		scope.Company())
}

// OfSharedField returns the condition of the records that tie connects to a live field f that is shared under a view.
func (s *Session) OfSharedField(tie string, view access.Slug, scope access.Scope) Condition {
	inner := s.Granted("f", GrantOfField, view, scope)
	return When(
		"EXISTS (SELECT 1 FROM fields AS f WHERE f.company_id = t.company_id AND "+tie+" AND f.deleted_at IS NULL AND "+inner.SQL+")",
		inner.Args...)
}

// OfSharedLand returns the condition of the records that lie on fields of which at least one is live and all are shared under a
// view. links are the rows that name the fields by field_id, as a table l and its condition. If deleted is true, deleted fields
// count as well: those are shared with nobody.
func (s *Session) OfSharedLand(links string, deleted bool, view access.Slug, scope access.Scope) Condition {
	const of = "SELECT 1 FROM "
	inner := s.Granted("f", GrantOfField, view, scope)
	covered := "(f.company_id = t.company_id AND f.deleted_at IS NULL AND " + inner.SQL + ")"
	table, tie, _ := strings.Cut(links, " WHERE ")
	counted := "f.deleted_at IS NULL AND "
	if deleted {
		counted = ""
	}
	from := of + table + " JOIN fields AS f ON f.id = l.field_id WHERE " + tie + " AND "
	return When("(EXISTS ("+from+"f.deleted_at IS NULL) AND NOT EXISTS ("+from+counted+"NOT "+covered+"))", inner.Args...)
}

// InScope returns the conditions of what a scope shows of table t: own rows, or those that shared selects.
func (s *Session) InScope(scope access.Scope, shared func(*Session, access.Scope) Condition) []Condition {
	switch {
	case scope.Company() <= 0:
		return []Condition{Nothing}
	case !scope.Shared():
		return []Condition{Own("t", scope)}
	case scope.ToOrder():
		return []Condition{Either(Own("t", scope), Both(Grantors("t", scope), shared(s, scope)))}
	}
	return []Condition{Grantors("t", scope), shared(s, scope)}
}

// Either is the condition that one of two holds.
func Either(a, b Condition) Condition {
	return When("("+a.SQL+" OR "+b.SQL+")", slices.Concat(a.Args, b.Args)...)
}

// Both is the condition that two hold.
func Both(a, b Condition) Condition {
	return When("("+a.SQL+" AND "+b.SQL+")", slices.Concat(a.Args, b.Args)...)
}

// Where adds conditions to a query of any kind.
func Where[Q interface {
	Where(sql string, args ...any) Q
}](q Q, conditions ...Condition) Q {
	for _, c := range conditions {
		q = q.Where(c.SQL, c.Args...)
	}
	return q
}

// OwnOnly is [Own], and [Nothing] under a shared scope: for records that are not shared.
func OwnOnly(scope access.Scope) Condition {
	if scope.Shared() {
		return Nothing
	}
	return Own("t", scope)
}
