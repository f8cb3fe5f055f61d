CREATE TABLE wallets (
  company_id BIGINT NOT NULL,
  balance BIGINT NOT NULL,
  held BIGINT NOT NULL,
  CONSTRAINT pk_wallets PRIMARY KEY (company_id),
  CONSTRAINT fk_wallets_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_wallets_money CHECK (held >= 0 AND balance >= held)
);

CREATE TABLE ledger_transactions (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  product TEXT NOT NULL,
  field_id BIGINT,
  order_id BIGINT,
  note TEXT NOT NULL,
  CONSTRAINT fk_ledger_transactions_wallet FOREIGN KEY (company_id) REFERENCES wallets (company_id),
  CONSTRAINT fk_ledger_transactions_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_ledger_transactions_kind CHECK (kind IN ('credit', 'hold', 'capture', 'release', 'refund')),
  CONSTRAINT ck_ledger_transactions_amount CHECK (amount >= 0),
  CONSTRAINT ck_ledger_transactions_product CHECK (product IN
    ('', 'vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
CREATE INDEX ix_ledger_transactions_company ON ledger_transactions (company_id, id);
CREATE INDEX ix_ledger_transactions_field ON ledger_transactions (company_id, field_id, id);

CREATE TABLE ledger_entries (
  transaction_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount BIGINT NOT NULL,
  CONSTRAINT pk_ledger_entries PRIMARY KEY (transaction_id, line),
  CONSTRAINT fk_ledger_entries_transaction FOREIGN KEY (transaction_id) REFERENCES ledger_transactions (id),
  CONSTRAINT ck_ledger_entries_account CHECK (account IN
    ('wallet:available', 'wallet:held', 'house:funding', 'house:revenue'))
);

-- The ledger is append-only: a mistake is put right by another transaction.
{{if .POSTGRES}}
CREATE FUNCTION keep_ledger_transactions() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_ledger_transactions_append_only';
END
$body$;
CREATE TRIGGER tr_ledger_transactions_append_only BEFORE UPDATE OR DELETE ON ledger_transactions
  FOR EACH ROW EXECUTE FUNCTION keep_ledger_transactions();

CREATE FUNCTION keep_ledger_entries() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_ledger_entries_append_only';
END
$body$;
CREATE TRIGGER tr_ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION keep_ledger_entries();
{{else}}
CREATE TRIGGER tr_ledger_transactions_no_update BEFORE UPDATE ON ledger_transactions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_transactions_no_delete BEFORE DELETE ON ledger_transactions
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER tr_ledger_entries_no_update BEFORE UPDATE ON ledger_entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tr_ledger_entries_no_delete BEFORE DELETE ON ledger_entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
{{end}}

CREATE TABLE prices (
  service TEXT NOT NULL,
  per_ha BIGINT NOT NULL,
  set_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_prices PRIMARY KEY (service),
  CONSTRAINT ck_prices_per_ha CHECK (per_ha >= 0)
);

-- One charge per field, over all products and for good.
CREATE TABLE field_charges (
  field_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  product TEXT NOT NULL,
  amount BIGINT NOT NULL,
  captured BOOLEAN NOT NULL,
  CONSTRAINT uq_field_charges_field PRIMARY KEY (field_id),
  CONSTRAINT fk_field_charges_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_field_charges_amount CHECK (amount >= 0),
  CONSTRAINT ck_field_charges_product CHECK (product IN
    ('vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
CREATE INDEX ix_field_charges_company ON field_charges (company_id, field_id);

CREATE TABLE profile_orders (
  id {{.ID}},
  uuid TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  season_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try_at {{.STAMP}},
  start_date {{.DAY}} NOT NULL,
  end_date {{.DAY}} NOT NULL,
  boundary {{.JSON}} NOT NULL,
  area_m2 BIGINT NOT NULL,
  created_by BIGINT,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  last_checked_at {{.STAMP}},
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  CONSTRAINT uq_profile_orders_uuid UNIQUE (uuid),
  CONSTRAINT uq_profile_orders_field_season UNIQUE (company_id, field_id, season_id),
  CONSTRAINT fk_profile_orders_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_profile_orders_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT fk_profile_orders_season FOREIGN KEY (company_id, season_id) REFERENCES seasons (company_id, id),
  CONSTRAINT fk_profile_orders_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_profile_orders_status CHECK (status IN ('pending', 'processing', 'active', 'failed')),
  CONSTRAINT ck_profile_orders_dates CHECK (end_date >= start_date),
  CONSTRAINT ck_profile_orders_numbers CHECK (attempts >= 0 AND area_m2 >= 0)
);
CREATE INDEX ix_profile_orders_company ON profile_orders (company_id, id);
CREATE INDEX ix_profile_orders_season ON profile_orders (company_id, season_id, id);
CREATE INDEX ix_profile_orders_status ON profile_orders (company_id, status, id);
CREATE INDEX ix_profile_orders_created_by ON profile_orders (company_id, created_by, id);
CREATE INDEX ix_profile_orders_updated_at ON profile_orders (company_id, updated_at);

CREATE TABLE profile_series (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  CONSTRAINT pk_profile_series PRIMARY KEY (order_id, index_code),
  CONSTRAINT fk_profile_series_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE
);

-- A date of a series: an observation, or with a reason a rejected date, which has no
-- statistics.
CREATE TABLE profile_observations (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  date {{.DAY}} NOT NULL,
  line INTEGER NOT NULL,
  reason TEXT NOT NULL,
  coverage DOUBLE PRECISION NOT NULL,
  n_valid INTEGER NOT NULL,
  n_polygon INTEGER NOT NULL,
  items {{.JSON}} NOT NULL,
  mean DOUBLE PRECISION,
  median DOUBLE PRECISION,
  std DOUBLE PRECISION,
  min DOUBLE PRECISION,
  max DOUBLE PRECISION,
  p10 DOUBLE PRECISION,
  p90 DOUBLE PRECISION,
  CONSTRAINT pk_profile_observations PRIMARY KEY (order_id, index_code, line),
  CONSTRAINT fk_profile_observations_series FOREIGN KEY (order_id, index_code)
    REFERENCES profile_series (order_id, index_code) ON DELETE CASCADE,
  CONSTRAINT ck_profile_observations_reason CHECK (reason IN ('', 'cloud', 'nodata', 'partial', 'error', 'too_few')),
  CONSTRAINT ck_profile_observations_counts CHECK (n_valid >= 0 AND n_polygon >= 0),
  CONSTRAINT ck_profile_observations_mean CHECK ((reason = '') = (mean IS NOT NULL))
);

CREATE TABLE outbox (
  seq {{.ID}},
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  company_id BIGINT,
  subject TEXT NOT NULL,
  at {{.STAMP}} NOT NULL,
  data TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  held_until {{.STAMP}},
  published_at {{.STAMP}},
  CONSTRAINT uq_outbox_id UNIQUE (id),
  CONSTRAINT fk_outbox_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
CREATE INDEX ix_outbox_pending ON outbox (seq) WHERE published_at IS NULL;
CREATE INDEX ix_outbox_company ON outbox (company_id, seq);

CREATE TABLE outbox_seen (
  consumer TEXT NOT NULL,
  event_id TEXT NOT NULL,
  seen_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_outbox_seen PRIMARY KEY (consumer, event_id)
);

-- A finished job is no row: the unique key holds among the unfinished.
CREATE TABLE jobs (
  id {{.ID}},
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  company_id BIGINT,
  subject BIGINT NOT NULL,
  run_at {{.STAMP}} NOT NULL,
  attempt INTEGER NOT NULL,
  lease TEXT,
  lease_until {{.STAMP}},
  CONSTRAINT uq_jobs_key UNIQUE (kind, key),
  CONSTRAINT fk_jobs_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_jobs_lease CHECK ((lease IS NULL) = (lease_until IS NULL))
);
CREATE INDEX ix_jobs_waiting ON jobs (run_at, id) WHERE lease IS NULL;
CREATE INDEX ix_jobs_held ON jobs (lease_until, id) WHERE lease IS NOT NULL;
