package moving

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tilth/core/moving"
)

// table describes how the rows of a table move. Every table of the schema is listed here or among those that stay (stay.go), and
// every column of a moving table that could hold an id is named: TestEveryTableIsClassified fails for one that is not.
type table struct {
	name string
	// where selects the rows of the company ?0; empty: those with its company_id.
	where string
	// order is the order of the rows in the file; empty: that of the primary key.
	order string
	// ids maps the columns that refer to rows to the tables of these rows. The table is followed by ~ where the database does not
	// enforce the reference, so that the row may be gone, and by ? where the row may belong to another company: the column is null then.
	ids map[string]string
	// by are the columns that refer to a table which another column names.
	by map[string]chosen
	// numbers are columns of whole numbers that are not ids.
	numbers string
	// json are the columns of JSON with the paths to ids in them.
	json map[string][]moving.Path
	// cites are columns of JSON whose texts cite files, with the table of the files.
	cites map[string]string
	// opened are columns of deflated JSON, which the file holds as JSON.
	opened string
	// values is the column of deflated numbers, which the file holds as a list.
	values string
	// secret are columns that the file omits, with the SQL expression of the value that they get on arrival.
	secret map[string]string
	// object are the columns that identify the stored file which the column `object` names; empty: the table has no such column.
	object string
	// proof marks rows that serve as proof in the file and are not stored on arrival.
	proof bool
}

// chosen is a table that the value of a column chooses. For a value not in tables, the id stays as it is (keep) or the row is refused.
type chosen struct {
	column string
	tables map[string]string
	keep   bool
}

type refs = map[string]string

type paths = map[string][]moving.Path

// made returns the ids of a record that a person made.
func made(more refs) refs {
	out := refs{"company_id": "companies", "created_by": "users"}
	for column, table := range more {
		out[column] = table
	}
	return out
}

// ownOrders are the orders of fields of the company itself.
const ownOrders = "(SELECT o.id FROM profile_orders AS o WHERE o.company_id = ?0 AND o.field_company_id = ?0)"

const ownStrata = "(SELECT o.id FROM stratification_orders AS o WHERE o.company_id = ?0)"

// trailed are the tables of the records that the audit trail is about, by resource.
var trailed = map[string]string{
	"farm": "farms", "field": "fields", "season": "seasons", "cultivation": "cultivations", "fertilization": "fertilizations",
	"assessment": "assessments", "aoi": "aois", "vi-profile": "profile_orders", "vi-map": "map_orders", "zoning-map": "map_orders", "soil-map": "map_orders", "elevation-map": "map_orders", "stratification_order": "stratification_orders",
	"stratification_map": "stratification_maps", "sample_plan_map": "stratification_plans", "sample": "soil_samples",
	"user": "users", "role": "roles", "invitation": "invitations", "api_key": "api_keys", "footprint": "footprints",
	"wallet": "ledger_transactions", "company": "companies", "engine": "companies", "subscription": "companies", "crop_curves": "own_curves",
	"share_grant": "share_grants", "webhook": "webhooks", "pact_client": "pact_clients",
}

// paid are the tables of the orders of products.
var paid = map[string]string{
	"vegetation_index_profile": "profile_orders", "vegetation_index_map": "map_orders", "zoning_map": "map_orders",
	"soil_map": "map_orders", "elevation_map": "map_orders", "stratification": "stratification_orders",
}

// working maps the kinds of jobs that go on after the move to the tables of their records.
var working = map[string]string{
	"vi_profile": "profile_orders", "vi_profile_index": "profile_orders", "vi_profile_refresh": "profile_orders", "vi_profile_recompute": "profile_orders",
	"vi_map": "map_orders", "vi_map_refresh": "map_orders", "vi_map_recompute": "map_orders",
	"zoning_map": "map_orders", "zoning_map_refresh": "map_orders", "zoning_map_recompute": "map_orders",
	"elevation_map": "map_orders", "elevation_map_refresh": "map_orders", "elevation_map_recompute": "map_orders",
	"soil_map": "map_orders", "soil_map_refresh": "map_orders", "soil_map_recompute": "map_orders",
	"stratification_order": "stratification_orders", "crop_verification": "assessments", "assessment_completeness": "assessments",
	"field_overlaps": "companies",
}

// Kinds returns the kinds of jobs that move with their records. Those of other kinds stay behind.
func Kinds() []string { return slices.Sorted(maps.Keys(working)) }

// tables are the tables that move, each after those that it refers to.
var tables = []table{
	{name: "companies", where: "t.id = ?0", ids: refs{"id": "companies"}, numbers: "policy_version"},
	{name: "users", where: "t.company_id = ?0 OR t.company_id IS NULL AND t.id IN (" + actors + ")", ids: refs{"company_id": "companies"}},
	{name: "roles", ids: refs{"company_id": "companies"}},
	{name: "role_slugs", where: "t.role_id IN (SELECT r.id FROM roles AS r WHERE r.company_id = ?0)", ids: refs{"role_id": "roles"}},
	{name: "user_roles", where: "t.user_id IN (SELECT u.id FROM users AS u WHERE u.company_id = ?0)", ids: refs{"user_id": "users", "role_id": "roles"}},
	{name: "invitations", ids: made(nil)},
	{name: "invitation_roles", where: "t.invitation_id IN (SELECT i.id FROM invitations AS i WHERE i.company_id = ?0)",
		ids: refs{"invitation_id": "invitations", "role_id": "roles"}},
	{name: "api_keys", ids: refs{"company_id": "companies", "user_id": "users"}, json: paths{"slugs": nil},
		// The trail names keys, so they move; what grants access stays behind.
		secret: map[string]string{"prefix": "''", "hash": "'moved ' || CAST(?id AS TEXT)"}},
	{name: "subscriptions", ids: refs{"company_id": "companies"}},
	{name: "engine_choices", ids: refs{"company_id": "companies"}},

	{name: "farms", ids: made(nil)},
	{name: "seasons", ids: made(nil)},
	{name: "fields", ids: made(refs{"farm_id": "farms"}), numbers: "area_m2", json: paths{"boundary": nil, "boundary_warnings": nil}},
	{name: "field_boundaries", ids: refs{"company_id": "companies", "field_id": "fields", "changed_by": "users"}, numbers: "area_m2", json: paths{"boundary": nil}},
	{name: "field_lineage", ids: refs{"company_id": "companies", "from_id": "fields", "to_id": "fields"}},
	{name: "field_overlaps", ids: refs{"company_id": "companies", "field_id": "fields~", "other_id": "fields~"}},
	{name: "field_overlap_checks", ids: refs{"company_id": "companies", "field_id": "fields~"}},
	{name: "cultivations", ids: made(refs{"season_id": "seasons", "crop_id": "crops", "field_id": "fields"})},
	{name: "fertilizations", ids: made(refs{"cultivation_id": "cultivations"})},

	{name: "profile_orders", where: "t.company_id = ?0 AND t.field_company_id = ?0",
		ids:  made(refs{"field_id": "fields", "season_id": "seasons", "boundary_id": "field_boundaries~", "field_company_id": "companies"}),
		json: paths{"boundary": nil}, numbers: "area_m2"},
	{name: "profile_readings", where: "t.order_id IN " + ownOrders, ids: refs{"order_id": "profile_orders", "boundary_id": "field_boundaries~"}},
	{name: "profile_dates", where: "t.reading_id IN (SELECT r.id FROM profile_readings AS r WHERE r.order_id IN " + ownOrders + ")",
		ids: refs{"reading_id": "profile_readings"}, json: paths{"items": nil, "offsets": nil, "sensor": nil}},
	{name: "profile_derivations", where: "t.order_id IN " + ownOrders, ids: refs{"order_id": "profile_orders"}},
	{name: "profile_monitors", where: "t.company_id = ?0 AND t.id IN " + ownOrders, ids: refs{"id": "profile_orders", "company_id": "companies"},
		json: paths{"rules": nil, "alerts": nil}},

	{name: "map_orders", where: "t.company_id = ?0 AND t.field_company_id = ?0", numbers: "area_m2", json: paths{"boundary": nil},
		ids: made(refs{"field_id": "fields", "season_id": "seasons", "boundary_id": "field_boundaries~", "field_company_id": "companies"})},
	{name: "map_dates", where: "t.order_id IN (SELECT o.id FROM map_orders AS o WHERE o.company_id = ?0 AND o.field_company_id = ?0)",
		ids: refs{"order_id": "map_orders"}, json: paths{"items": nil, "offsets": nil, "sensor": nil}, numbers: "bytes", object: "order_id line"},
	{name: "map_layers", where: "t.order_id IN (SELECT o.id FROM map_orders AS o WHERE o.company_id = ?0 AND o.field_company_id = ?0)",
		ids: refs{"order_id": "map_orders"}, json: paths{"about": nil}, numbers: "bytes", object: "order_id line"},

	{name: "aois", ids: made(nil)},
	{name: "aoi_fields", ids: refs{"aoi_id": "aois", "field_id": "fields", "company_id": "companies"}},
	{name: "stratification_orders", ids: refs{"company_id": "companies", "aoi_id": "aois", "request_by": "users"}, numbers: "area_m2 charge",
		json: paths{"land": {{Path: "[].field_id", Table: "fields"}}, "grid": nil, "notes": nil, "carbon": nil}},
	{name: "stratification_order_fields", where: "t.order_id IN " + ownStrata, ids: refs{"order_id": "stratification_orders", "field_id": "fields"}},
	{name: "stratification_layers", where: "t.order_id IN " + ownStrata, ids: refs{"order_id": "stratification_orders"}, json: paths{"provenance": nil}, values: "cell_values"},
	// A run that has not ended would have no worker afterwards; it is made again when it is asked for again.
	{name: "stratification_runs", where: "t.company_id = ?0 AND t.status IN ('done', 'failed')",
		ids:  refs{"company_id": "companies", "order_id": "stratification_orders", "created_by": "users", "api_key_id": "api_keys~"},
		json: paths{"layers": nil, "params": nil, "maps": nil}},
	{name: "stratification_maps", ids: refs{"company_id": "companies", "order_id": "stratification_orders", "saved_by": "users"},
		json: paths{"about": nil, "figures": nil}, opened: "outlines labels"},
	{name: "stratification_plans", ids: refs{"company_id": "companies", "order_id": "stratification_orders", "map_id": "stratification_maps", "saved_by": "users"},
		json: paths{"figures": nil}, opened: "points"},
	{name: "soil_samples", ids: made(refs{"plan_id": "stratification_plans", "aoi_id": "aois"}), numbers: "round depth_from_mm depth_to_mm"},
	{name: "sample_photos", ids: refs{"company_id": "companies", "sample_id": "soil_samples", "uploaded_by": "users"}, numbers: "size",
		where: "t.company_id = ?0 AND t.attached_at IS NOT NULL AND t.removed_at IS NULL", object: "id"},

	{name: "assessments", ids: made(refs{"farm_id": "farms", "field_id": "fields"}),
		by:   map[string]chosen{"resource_id": {column: "resource_type", tables: map[string]string{"farm": "farms", "field": "fields"}}},
		json: paths{"growing_area": nil, "average_temperature": nil, "declarations": nil}},
	{name: "assessment_rows", ids: refs{"company_id": "companies", "assessment_id": "assessments"}, json: paths{"entered": nil},
		cites: map[string]string{"entered": "assessment_evidence"}},
	{name: "assessment_states", ids: refs{"company_id": "companies", "assessment_id": "assessments"}, json: paths{"sections": nil}},
	// What was submitted is covered by digests and signatures: the ids within it stay as they were submitted.
	{name: "assessment_versions", ids: refs{"company_id": "companies", "assessment_id": "assessments", "submitted_by": "users"}},
	{name: "assessment_engine_references", ids: refs{"company_id": "companies", "assessment_id": "assessments"}},
	{name: "assessment_signatures", ids: refs{"company_id": "companies", "assessment_id": "assessments", "signed_by": "users"}},
	{name: "assessment_verifications", ids: refs{"company_id": "companies", "assessment_id": "assessments"}, json: paths{"evidence": {
		{Path: "fields[].field_id", Table: "fields"}, {Path: "fields[].cultivation_id", Table: "cultivations"},
		{Path: "fields[].season_id", Table: "seasons"}, {Path: "fields[].series.order_id", Table: "profile_orders"},
	}}},
	{name: "assessment_contributions", ids: refs{"company_id": "companies", "assessment_id": "assessments"}, json: paths{"cells": nil, "figures": nil}},
	{name: "assessment_sums", ids: refs{"company_id": "companies"}, numbers: "amount"},
	{name: "assessment_evidence", ids: refs{"company_id": "companies", "assessment_id": "assessments", "item_id": "assessment_rows~", "uploaded_by": "users"},
		numbers: "size", object: "id",
		where: "t.company_id = ?0 AND t.attached_at IS NOT NULL AND (t.removed_at IS NULL OR EXISTS (SELECT 1 FROM assessment_version_evidence AS h WHERE h.evidence_id = t.id))"},
	{name: "assessment_version_evidence", ids: refs{"company_id": "companies", "assessment_id": "assessments", "evidence_id": "assessment_evidence"}},
	{name: "footprints", ids: refs{"company_id": "companies", "assessment_id": "assessments", "published_by": "users"}},
	{name: "footprint_keys", ids: refs{"company_id": "companies", "footprint_id": "footprints"}},
	{name: "own_curves", ids: made(nil), json: paths{"curves": nil, "figures": nil, "left_out": nil}},

	{name: "wallets", ids: refs{"company_id": "companies"}, numbers: "balance held"},
	{name: "field_charges", where: "t.company_id = ?0 AND t.field_id IN (SELECT f.id FROM fields AS f WHERE f.company_id = ?0)",
		ids: refs{"field_id": "fields", "company_id": "companies"}, by: map[string]chosen{"order_id": {column: "product", tables: paid}}, numbers: "amount"},
	{name: "outline_charges", ids: refs{"company_id": "companies"}, by: map[string]chosen{"order_id": {column: "product", tables: paid}}, numbers: "amount"},
	{name: "field_paid_land", where: "t.company_id = ?0 AND t.field_id IN (SELECT f.id FROM fields AS f WHERE f.company_id = ?0)",
		ids: refs{"field_id": "fields", "company_id": "companies"}, numbers: "area_m2"},
	{name: "ledger_transactions", order: chained("ledger"), numbers: "amount",
		ids: refs{"company_id": "companies", "field_id": "fields?", "refund_of": "ledger_transactions~"},
		by:  map[string]chosen{"order_id": {column: "product", tables: paid}}},
	{name: "ledger_entries", where: "t.transaction_id IN (SELECT x.id FROM ledger_transactions AS x WHERE x.company_id = ?0)",
		order: strings.ReplaceAll(chained("ledger"), "t.id", "t.transaction_id") + ", t.line",
		ids:   refs{"transaction_id": "ledger_transactions"}, numbers: "amount"},
	{name: "audit_entries", order: chained("audit"), ids: refs{"company_id": "companies", "user_id": "users", "api_key_id": "api_keys"},
		by: map[string]chosen{"record_id": {column: "resource", tables: trailed, keep: true}}, json: paths{"changes": nil}},
	{name: "chain_checkpoints", proof: true, ids: refs{"company_id": "companies"}, numbers: "position purged"},
	{name: "chain_links", proof: true, ids: refs{"company_id": "companies"}, numbers: "position row_id"},

	{name: "jobs", where: "t.company_id = ?0 AND t.cancelled = FALSE AND t.kind IN ('" + strings.Join(Kinds(), "', '") + "')",
		ids: refs{"company_id": "companies"}, by: map[string]chosen{"subject": {column: "kind", tables: working}},
		secret: map[string]string{"lease": "NULL", "lease_until": "NULL"}},
}

// chained returns the order of the rows of a chain; those that wait for their place come last.
func chained(name string) string {
	place := "(SELECT l.position FROM chain_links AS l WHERE l.chain = '" + name + "' AND l.row_id = t.id)"
	return "CASE WHEN " + place + " IS NULL THEN 1 ELSE 0 END, " + place + ", t.id"
}

// named returns the table with a name.
func named(name string) (table, bool) {
	i := slices.IndexFunc(tables, func(t table) bool { return t.name == name })
	if i < 0 {
		return table{}, false
	}
	return tables[i], true
}

// actors stands, in a condition, for the users that rows of the company refer to.
const actors = "?actors"

// rows returns the condition of the rows of the company ?0.
func (t table) rows() string {
	where := t.where
	if where == "" {
		return "t.company_id = ?0"
	}
	if strings.Contains(where, actors) {
		var of []string
		for _, one := range tables {
			for _, column := range slices.Sorted(maps.Keys(one.ids)) {
				if one.ids[column] == "users" && one.ids["company_id"] != "" && one.name != "users" {
					of = append(of, fmt.Sprintf("SELECT %q FROM %q WHERE company_id = ?0", column, one.name))
				}
			}
		}
		where = strings.Replace(where, actors, strings.Join(of, " UNION "), 1)
	}
	return "(" + where + ")"
}

// refer returns the table that a column refers to, and how: see [table.ids].
func (t table) refer(column string) (of string, loose, foreign bool) {
	of, known := t.ids[column]
	if !known && column == "id" {
		of = t.name
	}
	of, loose = strings.CutSuffix(of, "~")
	of, foreign = strings.CutSuffix(of, "?")
	return of, loose, foreign
}
