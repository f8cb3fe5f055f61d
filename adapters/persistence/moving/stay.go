package moving

// left describes records of a company that do not move: the manifest reports how many there are, and why they stay.
type left struct {
	table, where string // where selects the rows of the company ?0; empty: those with its company_id
	what, why    string
}

const progress = "the progress of a job that has ended, kept only for a while"

// stays are the tables whose records of a company stay where they are.
var stays = []left{
	{table: "profile_orders", where: "t.company_id = ?0 AND t.field_company_id <> ?0", what: "profiles of fields of other companies",
		why: "the fields belong to companies that stay; order them again once the fields are shared"},
	{table: "map_orders", where: "t.company_id = ?0 AND t.field_company_id <> ?0", what: "maps of fields of other companies",
		why: "the fields belong to companies that stay; order them again once the fields are shared"},
	{table: "share_grants", where: "t.company_id = ?0 OR t.grantee_company_id = ?0", what: "share grants",
		why: "the other company stays; share again where both are"},
	{table: "webhooks", where: "t.company_id = ?0 AND t.deleted_at IS NULL", what: "webhooks", why: "their secrets are sealed under the key of the installation; create them again"},
	{table: "webhook_deliveries", what: "deliveries of webhooks", why: "their webhooks stay"},
	{table: "pact_clients", where: "t.company_id = ?0 AND t.deleted_at IS NULL", what: "clients of product footprints", why: "their secrets stay; create them again"},
	{table: "pact_messages", what: "messages of product footprints", why: "their clients stay"},
	{table: "plan_links", what: "links on labels and field sheets", why: "they lead to the address of the installation that made them"},
	{table: "user_identities", where: "t.user_id IN (SELECT u.id FROM users AS u WHERE u.company_id = ?0)", what: "bindings to an identity provider",
		why: "each installation binds people at their first sign-in"},
	{table: "refresh_tokens", where: "t.user_id IN (SELECT u.id FROM users AS u WHERE u.company_id = ?0)", what: "sessions", why: "they belong to the installation; sign in again"},
	{table: "tickets", where: "t.company_id = ?0 OR t.user_id IN (SELECT u.id FROM users AS u WHERE u.company_id = ?0)", what: "one-time links of letters",
		why: "they belong to the installation; ask for them again"},
	{table: "letters", what: "letters that wait", why: "their links belong to the installation"},
	{table: "alert_notices", what: "alerts that a letter would report", why: "the alerts themselves move with their profiles"},
	{table: "outbox", what: "events", why: "they are already published; the feed starts over"},
	{table: "event_feeds", what: "positions of the event feed", why: "the feed starts over"},
	{table: "field_imports", what: "imports of fields", why: progress},
	{table: "field_import_failures", where: "t.import_id IN (SELECT i.id FROM field_imports AS i WHERE i.company_id = ?0)", what: "refusals of imports of fields", why: progress},
	{table: "assessment_batches", what: "batches of assessments", why: progress},
	{table: "assessment_batch_notes", where: "t.batch_id IN (SELECT b.id FROM assessment_batches AS b WHERE b.company_id = ?0)", what: "notes of batches of assessments", why: progress},
	{table: "company_exports", what: "exports of the company", why: progress},
	{table: "replays", what: "answers kept for repeated requests", why: "a request is repeated where it was made"},
	{table: "layer_rasters", what: "rasters registered for the company", why: "operators register them; the layers of orders hold their values"},
}

// installed are the tables that belong to an installation, and those that are rebuilt from other tables.
var installed = map[string]string{
	"schema_migrations": "the schema", "schema_compatibility": "the schema",
	"signing_keys": "keys of tokens", "secret_keys": "the key of secrets", "chain_keys": "their public halves are in the manifest",
	"chain_heads": "they are in the manifest", "chain_waiting": "made by triggers", "chain_erasures": "erased values are in the rows",
	"crops": "the catalog; cultivations name crops by slug", "curve_sets": "the reference curves", "prices": "the operator's",
	"operator_entries": "the operator's", "sign_in_attempts": "wrong passwords", "known_places": "where people signed in",
	"rate_sums": "how often callers asked", "replicas": "the servers", "shared_time": "the clock", "certificate_entries": "certificates",
	"file_marks": "the store of files", "company_arrivals": "imports of companies that run", "list_sums": "made by triggers",
}
