DROP TABLE jobs;
DROP TABLE outbox_seen;
DROP TABLE outbox;
DROP TABLE profile_observations;
DROP TABLE profile_series;
DROP TABLE profile_orders;
DROP TABLE field_charges;
DROP TABLE prices;
DROP TABLE ledger_entries;
DROP TABLE ledger_transactions;

{{if .POSTGRES}}
DROP FUNCTION keep_ledger_transactions();
DROP FUNCTION keep_ledger_entries();
{{end}}
DROP TABLE wallets;
