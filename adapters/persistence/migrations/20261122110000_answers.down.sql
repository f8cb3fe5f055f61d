DROP TABLE curve_sets;
DROP TABLE operator_entries;
{{if .POSTGRES}}
DROP FUNCTION keep_curve_sets();
DROP FUNCTION keep_operator_entries();
{{end}}
DROP INDEX ix_ledger_transactions_created_at;
DROP INDEX ix_ledger_transactions_order;
DROP INDEX ix_ledger_transactions_product;
DROP INDEX ix_ledger_transactions_kind;
DROP INDEX uq_ledger_transactions_refund_of;
ALTER TABLE ledger_transactions DROP COLUMN refund_of;
DROP TABLE profile_derivations;
