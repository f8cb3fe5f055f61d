-- The series of active orders for other indices than the one they were made for: whether
-- each is computed, and why not. checked_at is the order's last search of the archive when
-- it was.
CREATE TABLE profile_derivations (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  checked_at {{.STAMP}},
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_profile_derivations PRIMARY KEY (order_id, index_code),
  CONSTRAINT fk_profile_derivations_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE,
  CONSTRAINT ck_profile_derivations_status CHECK (status IN ('processing', 'active', 'failed')),
  CONSTRAINT ck_profile_derivations_attempts CHECK (attempts >= 0)
);

-- A refund names the capture that it gives back; a capture is refunded once.
ALTER TABLE ledger_transactions ADD COLUMN refund_of BIGINT;
CREATE UNIQUE INDEX uq_ledger_transactions_refund_of ON ledger_transactions (refund_of) WHERE refund_of IS NOT NULL;

CREATE INDEX ix_ledger_transactions_kind ON ledger_transactions (company_id, kind, id);
CREATE INDEX ix_ledger_transactions_product ON ledger_transactions (company_id, product, id);
CREATE INDEX ix_ledger_transactions_order ON ledger_transactions (company_id, order_id, id);
CREATE INDEX ix_ledger_transactions_created_at ON ledger_transactions (company_id, created_at, id);

-- What the operator's command line changed of the installation as a whole: prices, the crop
-- catalog, curves, signing keys. What it changes of a company stands in audit_entries.
CREATE TABLE operator_entries (
  id {{.ID}},
  at {{.STAMP}} NOT NULL,
  action TEXT NOT NULL,
  resource TEXT NOT NULL,
  record TEXT NOT NULL,
  changes {{.JSON}} NOT NULL,
  CONSTRAINT ck_operator_entries_words CHECK (action <> '' AND resource <> '')
);

-- The reference curves of a region, in versions: the newest of a region is in force.
CREATE TABLE curve_sets (
  id {{.ID}},
  region TEXT NOT NULL,
  version TEXT NOT NULL,
  curves {{.JSON}} NOT NULL,
  imported_at {{.STAMP}} NOT NULL,
  CONSTRAINT uq_curve_sets_version UNIQUE (region, version),
  CONSTRAINT ck_curve_sets_names CHECK (region <> '' AND version <> '')
);
CREATE INDEX ix_curve_sets_region ON curve_sets (region, id);

-- Both are append-only.
{{if .POSTGRES}}
CREATE FUNCTION keep_operator_entries() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the trail of the operator is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_operator_entries_append_only';
END
$body$;
CREATE TRIGGER tr_operator_entries_append_only BEFORE UPDATE OR DELETE ON operator_entries
  FOR EACH ROW EXECUTE FUNCTION keep_operator_entries();
CREATE FUNCTION keep_curve_sets() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'versions of curves are append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_curve_sets_append_only';
END
$body$;
CREATE TRIGGER tr_curve_sets_append_only BEFORE UPDATE OR DELETE ON curve_sets
  FOR EACH ROW EXECUTE FUNCTION keep_curve_sets();
{{else}}
CREATE TRIGGER tr_operator_entries_no_update BEFORE UPDATE ON operator_entries
  BEGIN SELECT RAISE(ABORT, 'the trail of the operator is append-only'); END;
CREATE TRIGGER tr_operator_entries_no_delete BEFORE DELETE ON operator_entries
  BEGIN SELECT RAISE(ABORT, 'the trail of the operator is append-only'); END;
CREATE TRIGGER tr_curve_sets_no_update BEFORE UPDATE ON curve_sets
  BEGIN SELECT RAISE(ABORT, 'versions of curves are append-only'); END;
CREATE TRIGGER tr_curve_sets_no_delete BEFORE DELETE ON curve_sets
  BEGIN SELECT RAISE(ABORT, 'versions of curves are append-only'); END;
{{end}}
