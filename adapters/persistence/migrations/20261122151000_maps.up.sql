-- Calls that make maps of zones: the same parameters for the same order are one run.
CREATE TABLE stratification_runs (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  layers {{.JSON}} NOT NULL,
  params {{.JSON}} NOT NULL,
  status TEXT NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  reason TEXT NOT NULL,
  maps {{.JSON}} NOT NULL,
  created_by BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT uq_stratification_runs_key UNIQUE (order_id, key),
  CONSTRAINT fk_stratification_runs_order FOREIGN KEY (company_id, order_id) REFERENCES stratification_orders (company_id, id),
  CONSTRAINT ck_stratification_runs_status CHECK (status IN ('queued', 'running', 'done', 'failed'))
);
CREATE INDEX ix_stratification_runs_updated ON stratification_runs (updated_at, id);

-- Maps of zones: candidates, and those that were saved, with a name and a tag. Figures,
-- outlines and labels are kept apart, for lists read the figures alone.
CREATE TABLE stratification_maps (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  map_uuid TEXT NOT NULL,
  about {{.JSON}} NOT NULL,
  figures {{.JSON}} NOT NULL,
  outlines {{.BYTES}} NOT NULL,
  labels {{.BYTES}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  saved_at {{.STAMP}},
  saved_by BIGINT,
  name TEXT NOT NULL,
  map_tag TEXT NOT NULL,
  CONSTRAINT uq_stratification_maps_company UNIQUE (company_id, id),
  CONSTRAINT uq_stratification_maps_uuid UNIQUE (company_id, map_uuid),
  CONSTRAINT fk_stratification_maps_order FOREIGN KEY (company_id, order_id) REFERENCES stratification_orders (company_id, id),
  CONSTRAINT fk_stratification_maps_saved_by FOREIGN KEY (saved_by) REFERENCES users (id),
  CONSTRAINT ck_stratification_maps_saved CHECK ((saved_at IS NULL) = (map_tag = ''))
);
CREATE UNIQUE INDEX uq_stratification_maps_tag ON stratification_maps (order_id, map_tag) WHERE saved_at IS NOT NULL;
CREATE INDEX ix_stratification_maps_saved ON stratification_maps (company_id, id) WHERE saved_at IS NOT NULL;
CREATE INDEX ix_stratification_maps_tag ON stratification_maps (company_id, map_tag, id) WHERE saved_at IS NOT NULL;
CREATE INDEX ix_stratification_maps_order ON stratification_maps (company_id, order_id, id);
CREATE INDEX ix_stratification_maps_candidates ON stratification_maps (created_at, id) WHERE saved_at IS NULL;

-- Sample plans of maps, likewise.
CREATE TABLE stratification_plans (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  map_id BIGINT NOT NULL,
  plan_uuid TEXT NOT NULL,
  figures {{.JSON}} NOT NULL,
  points {{.BYTES}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  saved_at {{.STAMP}},
  saved_by BIGINT,
  name TEXT NOT NULL,
  plan_tag TEXT NOT NULL,
  CONSTRAINT uq_stratification_plans_company UNIQUE (company_id, id),
  CONSTRAINT uq_stratification_plans_uuid UNIQUE (company_id, plan_uuid),
  CONSTRAINT fk_stratification_plans_order FOREIGN KEY (company_id, order_id) REFERENCES stratification_orders (company_id, id),
  CONSTRAINT fk_stratification_plans_map FOREIGN KEY (company_id, map_id) REFERENCES stratification_maps (company_id, id),
  CONSTRAINT fk_stratification_plans_saved_by FOREIGN KEY (saved_by) REFERENCES users (id),
  CONSTRAINT ck_stratification_plans_saved CHECK ((saved_at IS NULL) = (plan_tag = ''))
);
CREATE UNIQUE INDEX uq_stratification_plans_tag ON stratification_plans (order_id, plan_tag) WHERE saved_at IS NOT NULL;
CREATE INDEX ix_stratification_plans_saved ON stratification_plans (company_id, id) WHERE saved_at IS NOT NULL;
CREATE INDEX ix_stratification_plans_tag ON stratification_plans (company_id, plan_tag, id) WHERE saved_at IS NOT NULL;
CREATE INDEX ix_stratification_plans_order ON stratification_plans (company_id, order_id, id);
CREATE INDEX ix_stratification_plans_map ON stratification_plans (map_id, id);
CREATE INDEX ix_stratification_plans_candidates ON stratification_plans (created_at, id) WHERE saved_at IS NULL;
