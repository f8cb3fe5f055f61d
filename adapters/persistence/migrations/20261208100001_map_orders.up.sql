-- Orders of the satellite products that are maps, and the dates of the maps. A company has one order of a product for a field, or
-- an outline that is no field, a season or a date, and an index: key. An older server would not see what they hold, so that it
-- must not run beside a newer one.
CREATE TABLE map_orders (
  id {{.ID}},
  uuid TEXT NOT NULL,
  product TEXT NOT NULL,
  key TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  field_company_id BIGINT NOT NULL,
  field_id BIGINT,
  outline TEXT NOT NULL,
  season_id BIGINT,
  day {{.DAY}},
  index_code TEXT NOT NULL,
  mask TEXT NOT NULL,
  dataset TEXT NOT NULL,
  output TEXT NOT NULL,
  classes INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try_at {{.STAMP}},
  start_date {{.DAY}} NOT NULL,
  end_date {{.DAY}} NOT NULL,
  boundary {{.JSON}} NOT NULL,
  boundary_id BIGINT NOT NULL,
  area_m2 BIGINT NOT NULL,
  created_by BIGINT,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  last_checked_at {{.STAMP}},
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  unread INTEGER NOT NULL,
  points INTEGER NOT NULL,
  first_date {{.DAY}},
  last_date {{.DAY}},
  CONSTRAINT uq_map_orders_uuid UNIQUE (uuid),
  CONSTRAINT uq_map_orders_key UNIQUE (company_id, product, key),
  CONSTRAINT fk_map_orders_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_map_orders_field FOREIGN KEY (field_company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT fk_map_orders_season FOREIGN KEY (company_id, season_id) REFERENCES seasons (company_id, id),
  CONSTRAINT fk_map_orders_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_map_orders_product CHECK (product IN ('vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map')),
  CONSTRAINT ck_map_orders_place CHECK ((field_id IS NULL) = (outline <> '')),
  CONSTRAINT ck_map_orders_status CHECK (status IN ('pending', 'processing', 'active', 'failed')),
  CONSTRAINT ck_map_orders_dates CHECK (end_date >= start_date),
  CONSTRAINT ck_map_orders_numbers CHECK (attempts >= 0 AND area_m2 >= 0 AND classes >= 0)
);
CREATE INDEX ix_map_orders_company ON map_orders (company_id, product, id);
CREATE INDEX ix_map_orders_field ON map_orders (company_id, field_id, id);
CREATE INDEX ix_map_orders_outline ON map_orders (company_id, outline) WHERE field_id IS NULL;
CREATE INDEX ix_map_orders_season ON map_orders (company_id, season_id, id);
CREATE INDEX ix_map_orders_status ON map_orders (company_id, product, status, id);
CREATE INDEX ix_map_orders_created_by ON map_orders (company_id, created_by, id);
CREATE INDEX ix_map_orders_created_at ON map_orders (company_id, product, created_at, id);
CREATE INDEX ix_map_orders_updated_at ON map_orders (company_id, product, updated_at, id);
CREATE INDEX ix_map_orders_start_date ON map_orders (company_id, product, start_date, id);
CREATE INDEX ix_map_orders_lent ON map_orders (company_id, field_id) WHERE field_company_id <> company_id;

-- A date of a map: its figures and the file of its pixels, or with a reason a rejected date, which has neither.
CREATE TABLE map_dates (
  order_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  date {{.DAY}} NOT NULL,
  reason TEXT NOT NULL,
  coverage DOUBLE PRECISION NOT NULL,
  n_valid INTEGER NOT NULL,
  n_polygon INTEGER NOT NULL,
  items {{.JSON}} NOT NULL,
  offsets {{.JSON}} NOT NULL,
  sensor {{.JSON}} NOT NULL,
  note TEXT NOT NULL,
  mean DOUBLE PRECISION,
  median DOUBLE PRECISION,
  std DOUBLE PRECISION,
  min DOUBLE PRECISION,
  max DOUBLE PRECISION,
  p10 DOUBLE PRECISION,
  p90 DOUBLE PRECISION,
  histogram TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  synthetic BOOLEAN NOT NULL,
  object TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  CONSTRAINT pk_map_dates PRIMARY KEY (order_id, line),
  CONSTRAINT fk_map_dates_order FOREIGN KEY (order_id) REFERENCES map_orders (id) ON DELETE CASCADE,
  CONSTRAINT ck_map_dates_reason CHECK (reason IN ('', 'cloud', 'nodata', 'partial', 'error', 'too_few')),
  CONSTRAINT ck_map_dates_counts CHECK (n_valid >= 0 AND n_polygon >= 0),
  CONSTRAINT ck_map_dates_mean CHECK ((reason = '') = (mean IS NOT NULL))
);

-- The charges of outlines that are no fields, as field_charges are those of fields.
CREATE TABLE outline_charges (
  company_id BIGINT NOT NULL,
  outline TEXT NOT NULL,
  order_id BIGINT NOT NULL,
  product TEXT NOT NULL,
  amount BIGINT NOT NULL,
  captured BOOLEAN NOT NULL,
  CONSTRAINT pk_outline_charges PRIMARY KEY (company_id, outline),
  CONSTRAINT fk_outline_charges_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_outline_charges_amount CHECK (amount >= 0),
  CONSTRAINT ck_outline_charges_product CHECK (product IN ('vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
