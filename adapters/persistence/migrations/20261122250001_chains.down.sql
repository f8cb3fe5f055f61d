{{if .POSTGRES}}
DROP TRIGGER tr_audit_entries_no_truncate ON audit_entries;
DROP TRIGGER tr_curve_sets_no_truncate ON curve_sets;
DROP TRIGGER tr_ledger_entries_no_truncate ON ledger_entries;
DROP TRIGGER tr_ledger_transactions_no_truncate ON ledger_transactions;
DROP TRIGGER tr_operator_entries_no_truncate ON operator_entries;
DROP TRIGGER tr_audit_entries_chain ON audit_entries;
DROP TRIGGER tr_ledger_transactions_chain ON ledger_transactions;
DROP FUNCTION wait_for_chain();
CREATE OR REPLACE FUNCTION keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_audit_entries_append_only';
END
$body$;
{{else}}
DROP TRIGGER tr_audit_entries_no_replace;
DROP TRIGGER tr_curve_sets_no_replace;
DROP TRIGGER tr_ledger_entries_no_replace;
DROP TRIGGER tr_ledger_transactions_no_replace;
DROP TRIGGER tr_operator_entries_no_replace;
DROP TRIGGER tr_audit_entries_chain;
DROP TRIGGER tr_ledger_transactions_chain;
DROP TRIGGER tr_audit_entries_no_delete;
DROP TRIGGER tr_audit_entries_no_update;
CREATE TRIGGER tr_audit_entries_no_update BEFORE UPDATE ON audit_entries
  BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER tr_audit_entries_no_delete BEFORE DELETE ON audit_entries
  BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
{{end}}

DROP TABLE chain_erasures;
DROP TABLE chain_keys;
DROP TABLE chain_checkpoints;
DROP TABLE chain_heads;
DROP TABLE chain_links;
DROP TABLE chain_waiting;
