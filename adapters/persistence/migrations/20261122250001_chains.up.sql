-- Transactions of the ledger and entries of the audit trail are chained by hash, company by
-- company (docs/evidence.md). A row waits from its commit until the sequencer has chained it.
CREATE TABLE chain_waiting (
  chain TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  row_id BIGINT NOT NULL,
  CONSTRAINT pk_chain_waiting PRIMARY KEY (chain, company_id, row_id)
);
INSERT INTO chain_waiting (chain, company_id, row_id) SELECT 'audit', company_id, id FROM audit_entries;
INSERT INTO chain_waiting (chain, company_id, row_id) SELECT 'ledger', company_id, id FROM ledger_transactions;

CREATE TABLE chain_links (
  chain TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  row_id BIGINT NOT NULL,
  salts TEXT NOT NULL,
  digest TEXT NOT NULL,
  hash TEXT NOT NULL,
  CONSTRAINT pk_chain_links PRIMARY KEY (chain, company_id, position),
  CONSTRAINT uq_chain_links_row UNIQUE (chain, row_id)
);

-- The signed head of each chain; rows up to purged may be removed.
CREATE TABLE chain_heads (
  chain TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL,
  purged BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  CONSTRAINT pk_chain_heads PRIMARY KEY (chain, company_id),
  CONSTRAINT fk_chain_heads_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_chain_heads_purged CHECK (purged >= 0 AND purged <= position)
);

-- Heads of the past.
CREATE TABLE chain_checkpoints (
  chain TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL,
  purged BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  CONSTRAINT pk_chain_checkpoints PRIMARY KEY (chain, company_id, position),
  CONSTRAINT fk_chain_checkpoints_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
CREATE INDEX ix_chain_checkpoints_at ON chain_checkpoints (chain, company_id, at);

CREATE TABLE chain_keys (
  id TEXT NOT NULL,
  seed {{.BYTES}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_chain_keys PRIMARY KEY (id)
);

-- Values of these rows are being erased, or were.
CREATE TABLE chain_erasures (
  chain TEXT NOT NULL,
  row_id BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_chain_erasures PRIMARY KEY (chain, row_id)
);

-- What is append-only is not replaced either, and not truncated. An entry of the audit trail may
-- go below the mark of its chain, and its values may be erased.
{{if .POSTGRES}}
CREATE FUNCTION wait_for_chain() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO chain_waiting (chain, company_id, row_id) VALUES (TG_ARGV[0], NEW.company_id, NEW.id);
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_audit_entries_chain AFTER INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION wait_for_chain('audit');
CREATE TRIGGER tr_ledger_transactions_chain AFTER INSERT ON ledger_transactions FOR EACH ROW EXECUTE FUNCTION wait_for_chain('ledger');

CREATE OR REPLACE FUNCTION keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT 1 FROM chain_links AS l JOIN chain_heads AS h ON h.chain = l.chain AND h.company_id = l.company_id
        WHERE l.chain = 'audit' AND l.row_id = OLD.id AND l.position <= h.purged) THEN
      RETURN OLD;
    END IF;
  ELSIF TG_OP = 'UPDATE' THEN
    IF EXISTS (SELECT 1 FROM chain_erasures AS e WHERE e.chain = 'audit' AND e.row_id = OLD.id)
        AND to_jsonb(NEW) - 'changes' = to_jsonb(OLD) - 'changes' THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_audit_entries_append_only';
END
$body$;

CREATE TRIGGER tr_audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_entries();

CREATE TRIGGER tr_curve_sets_no_truncate BEFORE TRUNCATE ON curve_sets
  FOR EACH STATEMENT EXECUTE FUNCTION keep_curve_sets();

CREATE TRIGGER tr_ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION keep_ledger_entries();

CREATE TRIGGER tr_ledger_transactions_no_truncate BEFORE TRUNCATE ON ledger_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION keep_ledger_transactions();

CREATE TRIGGER tr_operator_entries_no_truncate BEFORE TRUNCATE ON operator_entries
  FOR EACH STATEMENT EXECUTE FUNCTION keep_operator_entries();
{{else}}
CREATE TRIGGER tr_audit_entries_chain AFTER INSERT ON audit_entries
  BEGIN INSERT INTO chain_waiting (chain, company_id, row_id) VALUES ('audit', NEW.company_id, NEW.id); END;
CREATE TRIGGER tr_ledger_transactions_chain AFTER INSERT ON ledger_transactions
  BEGIN INSERT INTO chain_waiting (chain, company_id, row_id) VALUES ('ledger', NEW.company_id, NEW.id); END;

DROP TRIGGER tr_audit_entries_no_delete;
CREATE TRIGGER tr_audit_entries_no_delete BEFORE DELETE ON audit_entries
  WHEN NOT EXISTS (SELECT 1 FROM chain_links AS l JOIN chain_heads AS h ON h.chain = l.chain AND h.company_id = l.company_id
    WHERE l.chain = 'audit' AND l.row_id = OLD.id AND l.position <= h.purged)
  BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
DROP TRIGGER tr_audit_entries_no_update;
CREATE TRIGGER tr_audit_entries_no_update BEFORE UPDATE ON audit_entries
  WHEN NOT EXISTS (SELECT 1 FROM chain_erasures AS e WHERE e.chain = 'audit' AND e.row_id = OLD.id)
    OR NEW.id IS NOT OLD.id OR NEW.company_id IS NOT OLD.company_id OR NEW.at IS NOT OLD.at OR NEW.user_id IS NOT OLD.user_id
    OR NEW.operator IS NOT OLD.operator OR NEW.api_key_id IS NOT OLD.api_key_id OR NEW.action IS NOT OLD.action
    OR NEW.resource IS NOT OLD.resource OR NEW.record_id IS NOT OLD.record_id
  BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;

-- REPLACE removes a row without its trigger for DELETE.
CREATE TRIGGER tr_audit_entries_no_replace BEFORE INSERT ON audit_entries
  WHEN EXISTS (SELECT 1 FROM audit_entries AS t WHERE t.id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'audit_entries is append-only'); END;

CREATE TRIGGER tr_curve_sets_no_replace BEFORE INSERT ON curve_sets
  WHEN EXISTS (SELECT 1 FROM curve_sets AS t WHERE t.id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'curve_sets is append-only'); END;

CREATE TRIGGER tr_ledger_entries_no_replace BEFORE INSERT ON ledger_entries
  WHEN EXISTS (SELECT 1 FROM ledger_entries AS t WHERE t.transaction_id = NEW.transaction_id AND t.line = NEW.line)
  BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;

CREATE TRIGGER tr_ledger_transactions_no_replace BEFORE INSERT ON ledger_transactions
  WHEN EXISTS (SELECT 1 FROM ledger_transactions AS t WHERE t.id = NEW.id OR t.refund_of = NEW.refund_of)
  BEGIN SELECT RAISE(ABORT, 'ledger_transactions is append-only'); END;

CREATE TRIGGER tr_operator_entries_no_replace BEFORE INSERT ON operator_entries
  WHEN EXISTS (SELECT 1 FROM operator_entries AS t WHERE t.id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'operator_entries is append-only'); END;
{{end}}
