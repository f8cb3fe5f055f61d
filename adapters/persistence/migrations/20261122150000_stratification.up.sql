-- What a company subscribes to, beside what is free.
CREATE TABLE subscriptions (
  company_id BIGINT NOT NULL,
  service TEXT NOT NULL,
  until {{.DAY}},
  granted_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_subscriptions PRIMARY KEY (company_id, service),
  CONSTRAINT fk_subscriptions_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_subscriptions_service CHECK (service IN ('stratification'))
);

CREATE TABLE aois (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  description TEXT NOT NULL,
  CONSTRAINT uq_aois_uuid UNIQUE (uuid),
  CONSTRAINT uq_aois_company UNIQUE (company_id, id),
  CONSTRAINT fk_aois_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_aois_creator FOREIGN KEY (created_by) REFERENCES users (id)
);
CREATE INDEX ix_aois_live ON aois (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_aois_updated_at ON aois (company_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_aois_created_by ON aois (company_id, created_by, id) WHERE deleted_at IS NULL;

CREATE TABLE aoi_fields (
  aoi_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  position INTEGER NOT NULL,
  CONSTRAINT pk_aoi_fields PRIMARY KEY (aoi_id, field_id),
  CONSTRAINT fk_aoi_fields_aoi FOREIGN KEY (company_id, aoi_id) REFERENCES aois (company_id, id),
  CONSTRAINT fk_aoi_fields_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id)
);
CREATE INDEX ix_aoi_fields_field ON aoi_fields (company_id, field_id);

-- The fields, their area and the charge stand as they were when it was ordered.
CREATE TABLE stratification_orders (
  id {{.ID}},
  data_uuid TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  aoi_id BIGINT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  retries INTEGER NOT NULL,
  request_date {{.DAY}} NOT NULL,
  request_by BIGINT,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  processing_at {{.STAMP}},
  completed_at {{.STAMP}},
  land {{.JSON}} NOT NULL,
  area_m2 BIGINT NOT NULL,
  charge BIGINT NOT NULL,
  grid {{.JSON}} NOT NULL,
  digest TEXT NOT NULL,
  notes {{.JSON}} NOT NULL,
  synthetic BOOLEAN NOT NULL,
  CONSTRAINT uq_stratification_orders_uuid UNIQUE (data_uuid),
  CONSTRAINT uq_stratification_orders_company UNIQUE (company_id, id),
  CONSTRAINT fk_stratification_orders_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_stratification_orders_aoi FOREIGN KEY (company_id, aoi_id) REFERENCES aois (company_id, id),
  CONSTRAINT fk_stratification_orders_request_by FOREIGN KEY (request_by) REFERENCES users (id),
  CONSTRAINT ck_stratification_orders_status CHECK (status IN ('pending', 'processing', 'active', 'failed')),
  CONSTRAINT ck_stratification_orders_numbers CHECK (attempts >= 0 AND retries >= 0 AND area_m2 >= 0 AND charge >= 0),
  CONSTRAINT ck_stratification_orders_active CHECK ((status = 'active') = (digest <> ''))
);
CREATE UNIQUE INDEX uq_stratification_orders_open ON stratification_orders (company_id, aoi_id) WHERE status IN ('pending', 'processing');
CREATE INDEX ix_stratification_orders_list ON stratification_orders (company_id, id);
CREATE INDEX ix_stratification_orders_aoi ON stratification_orders (company_id, aoi_id, id);
CREATE INDEX ix_stratification_orders_processing ON stratification_orders (processing_at, id) WHERE status = 'processing';

-- A layer's values: 32-bit floating point numbers, one a cell of the order's frame, compressed.
CREATE TABLE stratification_layers (
  order_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  coarse BOOLEAN NOT NULL,
  valid_share DOUBLE PRECISION NOT NULL,
  mean DOUBLE PRECISION NOT NULL,
  sd DOUBLE PRECISION NOT NULL,
  dropped TEXT NOT NULL,
  provenance {{.JSON}} NOT NULL,
  cells INTEGER NOT NULL,
  cell_values {{.BYTES}},
  CONSTRAINT pk_stratification_layers PRIMARY KEY (order_id, line),
  CONSTRAINT uq_stratification_layers_name UNIQUE (order_id, name),
  CONSTRAINT fk_stratification_layers_order FOREIGN KEY (order_id) REFERENCES stratification_orders (id) ON DELETE CASCADE,
  CONSTRAINT ck_stratification_layers_values CHECK ((dropped = '') = (cell_values IS NOT NULL))
);

-- Rasters that the operator registered as layers; the files lie among the objects.
CREATE TABLE layer_rasters (
  name TEXT NOT NULL,
  object TEXT NOT NULL,
  file TEXT NOT NULL,
  checksum TEXT NOT NULL,
  size BIGINT NOT NULL,
  epsg INTEGER NOT NULL,
  cell_size DOUBLE PRECISION NOT NULL,
  scale DOUBLE PRECISION NOT NULL,
  shift DOUBLE PRECISION NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  added_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_layer_rasters PRIMARY KEY (name)
);
