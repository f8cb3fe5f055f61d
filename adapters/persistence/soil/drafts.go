package soil

import (
	"context"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// draftTable is a table of maps or plans, of which some are saved.
type draftTable[T, R any] struct {
	view    sqlstore.View[T, R]
	uuid    string      // the column that names one
	tag     string      // the column that names a saved one within its order
	joins   []string    // besides those of the order and its area of interest
	columns string      // expressions of the row's scan-only columns, besides those of the area of interest
	whole   []string    // large columns, which only a whole record has
	large   []string    // large columns, which a list has on request
	sharing access.Slug // the view by which saved ones are shared
	saving  func(*T) (id, orderID int64, saved *zoning.Saving)
}

// drafts implements ports.Drafts.
type drafts[T, R any] struct {
	sqlstore.Keys[R]
	s *sqlstore.Session
	t *draftTable[T, R]
}

func draftsOf[T, R any](s *sqlstore.Session, t *draftTable[T, R]) drafts[T, R] {
	return drafts[T, R]{sqlstore.KeysOf[R](s, "t.saved_at IS NOT NULL"), s, t}
}

func (d drafts[T, R]) selected(scope access.Scope) *bun.SelectQuery {
	q := d.s.NewSelect().Model((*R)(nil))
	for _, j := range d.t.joins {
		q = q.Join(j)
	}
	return sqlstore.Where(ofOrder(q), d.visible(scope)...)
}

// visible selects the drafts in a scope whose area of interest is live. A shared scope shows saved ones only.
func (d drafts[T, R]) visible(scope access.Scope) []sqlstore.Condition {
	if !scope.Shared() {
		return visible(scope)
	}
	live := sqlstore.When("aoi.deleted_at IS NULL AND t.saved_at IS NOT NULL")
	return append(d.s.InScope(scope, func(s *sqlstore.Session, scope access.Scope) sqlstore.Condition {
		return sharedOfOrder(s, d.t.sharing, scope, "t.order_id", "o.aoi_id")
	}), live)
}

// filled selects drafts with their columns; the large ones on request.
func (d drafts[T, R]) filled(scope access.Scope, whole, large bool) *bun.SelectQuery {
	var out []string
	if !whole {
		out = append(out, d.t.whole...)
	}
	if !large {
		out = append(out, d.t.large...)
	}
	q := d.selected(scope)
	if len(out) > 0 {
		q = q.ExcludeColumn(out...)
	} else {
		q = q.ColumnExpr("?TableColumns")
	}
	return q.ColumnExpr("o.aoi_id AS aoi_id, aoi.uuid AS aoi_uuid, aoi.name AS aoi_name" + d.t.columns)
}

// Saved selects those that were saved.
func (d drafts[T, R]) Saved(scope access.Scope, large bool) *bun.SelectQuery {
	return d.filled(scope, false, large).Where("t.saved_at IS NOT NULL")
}

// FiltersAndOrders returns what lists of those that were saved may be filtered and ordered by, besides the common orders.
func (d drafts[T, R]) FiltersAndOrders() (map[string]sqlstore.Filter, map[string]sqlstore.OrderKey) {
	return d.t.view.Filters, d.t.view.Orders
}

// put stores a row; one that is stored already gets the new time of creation.
func (d drafts[T, R]) put(ctx context.Context, row *R, id *int64) error {
	_, err := d.s.NewInsert().Model(row).On("CONFLICT (company_id, "+d.t.uuid+") DO UPDATE").Set("created_at = EXCLUDED.created_at").
		Returning("id").Exec(ctx, id)
	return err
}

func (d drafts[T, R]) ByUUID(ctx context.Context, scope access.Scope, uuid string, whole bool) (T, error) {
	return d.t.view.One(ctx, d.filled(scope, whole, whole).Where("t.? = ?", bun.Ident(d.t.uuid), uuid))
}

func (d drafts[T, R]) ByUUIDForUpdate(ctx context.Context, scope access.Scope, uuid string) (T, error) {
	return d.t.view.One(ctx, d.s.ForUpdate(d.filled(scope, false, false)).Where("t.? = ?", bun.Ident(d.t.uuid), uuid))
}

// Save refuses a tag that is taken, which a key in the database rules out too.
func (d drafts[T, R]) Save(ctx context.Context, scope access.Scope, record T) error {
	id, orderID, saved := d.t.saving(&record)
	if !sqlstore.Writable(scope) || saved == nil {
		return fault.Missing(d.t.view.Word)
	}
	tag := bun.Ident(d.t.tag)
	taken, err := sqlstore.Where(d.s.NewSelect().Model((*R)(nil)), sqlstore.Own("t", scope)).Where("t.order_id = ?", orderID).
		Where("t.? = ?", tag, saved.Tag).Where("t.saved_at IS NOT NULL").Where("t.id <> ?", id).Exists(ctx)
	if err != nil {
		return err
	}
	if taken {
		return fault.Newf(fault.Conflict, "tag_taken", "Another one for this order has the tag %q; give a different %s.", saved.Tag, d.t.tag)
	}
	return sqlstore.Change(ctx, d.s.NewUpdate().Model((*R)(nil)).Set("saved_at = ?", sqlstore.StampAt(saved.At)).
		Set("saved_by = ?", sqlstore.NullableID(saved.By)).Set("name = ?", saved.Name).Set("? = ?", tag, saved.Tag).
		Set("external_id = ?", saved.ExternalID).Set("source = ?", saved.Source).
		Where("t.id = ?", id).Where("?", sqlstore.Own("t", scope)), fault.Missing(d.t.view.Word))
}

func (d drafts[T, R]) CountSaved(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	return d.t.view.Count(ctx, d.selected(scope).Where("t.saved_at IS NOT NULL"), query)
}

func (d drafts[T, R]) EachSaved(ctx context.Context, scope access.Scope, query ports.Query, large bool) iter.Seq2[T, error] {
	return d.t.view.Each(ctx, d.s, d.Saved(scope, large), query)
}

func (d drafts[T, R]) GetSaved(ctx context.Context, scope access.Scope, id int64, large bool) (T, error) {
	return d.t.view.One(ctx, d.Saved(scope, large).Where("t.id = ?", id))
}
