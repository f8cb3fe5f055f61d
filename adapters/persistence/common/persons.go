package common

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// persons implements ports.Persons.
type persons struct{ s *sqlstore.Session }

// heldTables are the tables with data about a person besides the records that the person made: their columns, and a condition
// of the rows. The conditions get the id, the company, the address and the name of the user, in this order.
var heldTables = []struct{ name, from, columns, where string }{
	{"user", "users", "id, company_id, email, name, disabled, created_at, alert_mail_off, external_id, source", "t.id = ?0"},
	{"roles", "user_roles", "role_id", "t.user_id = ?0"},
	{"identities", "user_identities", "issuer, subject, bound_at", "t.user_id = ?0"},
	{"sessions", "refresh_tokens", "expires_at, used_at, revoked_at", "t.user_id = ?0"},
	{"links", "tickets", "created_at, expires_at, used_at", "t.user_id = ?0"},
	{"api_keys", "api_keys", "id, name, prefix, slugs, created_at, expires_at, revoked_at", "t.user_id = ?0"},
	{"invitations", "invitations", "id, email, name, created_at, expires_at, accepted_at, revoked_at", "t.company_id = ?1 AND t.email = ?2"},
	{"letters", "letters", "kind, email, created_at", "t.email = ?2"},
	{"audit_by", "audit_entries", "id, at, action, resource, record_id, changes", "t.company_id = ?1 AND t.user_id = ?0"},
	{"audit_about", "audit_entries", "id, at, user_id, action, resource, record_id, changes", "t.company_id = ?1 AND t.resource = 'user' AND t.record_id = ?0"},
	{"operator_by", "operator_entries", "id, at, action, resource, record, changes", "t.user_id = ?0"},
	{"samples_collected", "soil_samples", "id, collected_by", "t.company_id = ?1 AND t.collected_by = ?3"},
}

// madeBy are the tables whose records name the user who made them, with the column that does.
var madeBy = map[string]string{
	"farms": "created_by", "fields": "created_by", "seasons": "created_by", "cultivations": "created_by", "fertilizations": "created_by",
	"share_grants": "created_by", "profile_orders": "created_by", "map_orders": "created_by", "invitations": "created_by", "field_imports": "created_by",
	"field_boundaries": "changed_by", "webhooks": "created_by", "assessments": "created_by", "assessment_versions": "submitted_by",
	"assessment_batches": "created_by", "aois": "created_by", "stratification_orders": "request_by", "stratification_maps": "saved_by",
	"stratification_plans": "saved_by", "soil_samples": "created_by",
	"own_curves": "created_by", "assessment_signatures": "signed_by", "assessment_evidence": "uploaded_by", "footprints": "published_by", "pact_clients": "created_by",
	"plan_links": "created_by", "sample_photos": "uploaded_by", "company_exports": "created_by",
}

func (p persons) Held(ctx context.Context, user ports.User) (ports.Held, error) {
	out := ports.Held{}
	for _, t := range heldTables {
		q := p.s.NewSelect().TableExpr("? AS t", bun.Ident(t.from)).ColumnExpr(t.columns).Where(t.where, user.ID, user.CompanyID, user.Email, user.Name)
		list, err := p.read(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		out[t.name] = list
	}
	for table, column := range madeBy {
		q := p.s.NewSelect().TableExpr("? AS t", bun.Ident(table)).ColumnExpr("t.id").
			Where("t.company_id = ?", user.CompanyID).Where("t.? = ?", bun.Ident(column), user.ID).OrderExpr("t.id")
		list, err := p.read(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		out["made_"+table] = list
	}
	return out, nil
}

// read returns the rows of a query by the names of their columns.
func (p persons) read(ctx context.Context, q *bun.SelectQuery) ([]map[string]any, error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, name := range names {
			if raw, ok := values[i].([]byte); ok {
				values[i] = string(raw)
			}
			row[name] = values[i]
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

func (p persons) Entries(ctx context.Context, user ports.User) (ids []int64, err error) {
	err = p.s.NewSelect().Model((*auditRow)(nil)).Column("t.id").Where("t.company_id = ?", user.CompanyID).
		Where("(t.resource = 'user' AND t.record_id = ?0 OR t.resource = 'invitation' OR t.user_id = ?0)", user.ID).OrderExpr("t.id").Scan(ctx, &ids)
	return ids, err
}

func (p persons) Erase(ctx context.Context, user ports.User, name, email string, at time.Time) error {
	stamp := sqlstore.StampAt(at)
	invited := p.s.NewSelect().TableExpr("invitations AS i").ColumnExpr("i.id").Where("i.company_id = ?", user.CompanyID).Where("i.email = ?", user.Email)
	from := func(table string) *bun.DeleteQuery { return p.s.NewDelete().TableExpr("? AS t", bun.Ident(table)) }
	in := func(table string) *bun.UpdateQuery { return p.s.NewUpdate().TableExpr("? AS t", bun.Ident(table)) }
	for _, statement := range []sqlstore.Statement{
		from("user_roles").Where("t.user_id = ?", user.ID),
		from("user_identities").Where("t.user_id = ?", user.ID),
		from("refresh_tokens").Where("t.user_id = ?", user.ID),
		from("tickets").Where("t.user_id = ?", user.ID),
		from("tickets").Where("t.invitation_id IN (?)", invited),
		from("letters").Where("t.email = ?", user.Email),
		in("invitations").Set("revoked_at = CASE WHEN accepted_at IS NULL THEN COALESCE(revoked_at, ?) END", stamp).Set("email = ?, name = ?", email, name).
			Where("t.company_id = ?", user.CompanyID).Where("t.email = ?", user.Email),
		// The trail refers to keys, so they stay, revoked and without their content.
		in("api_keys").Set("revoked_at = COALESCE(revoked_at, ?)", stamp).Set("name = 'erased', prefix = '', hash = 'erased ' || CAST(id AS TEXT)").
			Where("t.user_id = ?", user.ID),
		in("soil_samples").Set("collected_by = ?", name).Where("t.company_id = ?", user.CompanyID).
			Where("t.created_by = ?", user.ID).Where("t.collected_by = ?", user.Name),
		in("users").Set("email = ?, name = ?, password_hash = '', external_id = '', source = '', disabled = ?", email, name, true).Where("t.id = ?", user.ID),
	} {
		if err := sqlstore.Run(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
