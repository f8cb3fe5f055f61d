-- Orders of stratification are paid from the same ledger. They are of no field.
{{if .POSTGRES}}
ALTER TABLE ledger_transactions DROP CONSTRAINT ck_ledger_transactions_product;
ALTER TABLE ledger_transactions ADD CONSTRAINT ck_ledger_transactions_product CHECK (product IN
  ('', 'vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map', 'stratification'));
{{else}}
-- SQLite changes no check: both tables of the ledger are made anew, the entries first, so that
-- no reference is ever broken.
CREATE TABLE new_transactions (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  product TEXT NOT NULL,
  field_id BIGINT,
  order_id BIGINT,
  note TEXT NOT NULL,
  refund_of BIGINT,
  CONSTRAINT fk_ledger_transactions_wallet FOREIGN KEY (company_id) REFERENCES wallets (company_id),
  CONSTRAINT fk_ledger_transactions_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_ledger_transactions_kind CHECK (kind IN ('credit', 'hold', 'capture', 'release', 'refund')),
  CONSTRAINT ck_ledger_transactions_amount CHECK (amount >= 0),
  CONSTRAINT ck_ledger_transactions_product CHECK (product IN
    ('', 'vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map', 'stratification'))
);
INSERT INTO new_transactions (id, company_id, created_at, kind, amount, product, field_id, order_id, note, refund_of)
  SELECT id, company_id, created_at, kind, amount, product, field_id, order_id, note, refund_of FROM ledger_transactions ORDER BY id;
CREATE TABLE new_entries (
  transaction_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount BIGINT NOT NULL,
  CONSTRAINT pk_ledger_entries PRIMARY KEY (transaction_id, line),
  CONSTRAINT fk_ledger_entries_transaction FOREIGN KEY (transaction_id) REFERENCES new_transactions (id),
  CONSTRAINT ck_ledger_entries_account CHECK (account IN
    ('wallet:available', 'wallet:held', 'house:funding', 'house:revenue'))
);
INSERT INTO new_entries (transaction_id, line, account, amount)
  SELECT transaction_id, line, account, amount FROM ledger_entries ORDER BY transaction_id, line;
DROP TABLE ledger_entries;
DROP TABLE ledger_transactions;
ALTER TABLE new_transactions RENAME TO ledger_transactions;
ALTER TABLE new_entries RENAME TO ledger_entries;
CREATE INDEX ix_ledger_transactions_company ON ledger_transactions (company_id, id);
CREATE INDEX ix_ledger_transactions_field ON ledger_transactions (company_id, field_id, id);
CREATE UNIQUE INDEX uq_ledger_transactions_refund_of ON ledger_transactions (refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX ix_ledger_transactions_kind ON ledger_transactions (company_id, kind, id);
CREATE INDEX ix_ledger_transactions_product ON ledger_transactions (company_id, product, id);
CREATE INDEX ix_ledger_transactions_order ON ledger_transactions (company_id, order_id, id);
CREATE INDEX ix_ledger_transactions_created_at ON ledger_transactions (company_id, created_at, id);

CREATE TRIGGER tr_ledger_transactions_no_update BEFORE UPDATE ON ledger_transactions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_transactions_no_delete BEFORE DELETE ON ledger_transactions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER tr_ledger_entries_no_update BEFORE UPDATE ON ledger_entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_entries_no_delete BEFORE DELETE ON ledger_entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
{{end}}
