-- Samples: soil from a point of a saved plan and a depth interval, in one round of sampling.
-- Depths are whole millimetres. A collected sample has a time, an analysed one a share of carbon.
CREATE TABLE soil_samples (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  plan_id BIGINT NOT NULL,
  aoi_id BIGINT NOT NULL,
  round BIGINT NOT NULL,
  point TEXT NOT NULL,
  zone INTEGER NOT NULL,
  role TEXT NOT NULL,
  depth_from_mm BIGINT NOT NULL,
  depth_to_mm BIGINT NOT NULL,
  longitude DOUBLE PRECISION NOT NULL,
  latitude DOUBLE PRECISION NOT NULL,
  status TEXT NOT NULL,
  label TEXT NOT NULL,
  collected_at {{.STAMP}},
  collected_by TEXT NOT NULL,
  collected_longitude DOUBLE PRECISION,
  collected_latitude DOUBLE PRECISION,
  collected_zone INTEGER NOT NULL,
  accuracy_m DOUBLE PRECISION,
  moved_m DOUBLE PRECISION,
  soc_pct DOUBLE PRECISION,
  bulk_density DOUBLE PRECISION,
  coarse_fragments_pct DOUBLE PRECISION,
  lab_method TEXT NOT NULL,
  lab_ref TEXT NOT NULL,
  analysed_at {{.STAMP}},
  notes TEXT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  CONSTRAINT uq_soil_samples_company UNIQUE (company_id, id),
  CONSTRAINT fk_soil_samples_plan FOREIGN KEY (company_id, plan_id) REFERENCES stratification_plans (company_id, id),
  CONSTRAINT fk_soil_samples_aoi FOREIGN KEY (company_id, aoi_id) REFERENCES aois (company_id, id),
  CONSTRAINT fk_soil_samples_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_soil_samples_status CHECK (status IN ('planned', 'collected', 'analysed', 'missed')),
  CONSTRAINT ck_soil_samples_known CHECK (
    (status IN ('collected', 'analysed')) = (collected_at IS NOT NULL) AND (status = 'analysed') = (soc_pct IS NOT NULL)),
  CONSTRAINT ck_soil_samples_depth CHECK (depth_from_mm >= 0 AND depth_to_mm > depth_from_mm)
);
CREATE UNIQUE INDEX uq_soil_samples_place ON soil_samples (plan_id, round, point, depth_from_mm, depth_to_mm) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX uq_soil_samples_label ON soil_samples (company_id, label) WHERE deleted_at IS NULL;
CREATE INDEX ix_soil_samples_list ON soil_samples (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_soil_samples_plan ON soil_samples (company_id, plan_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_soil_samples_aoi ON soil_samples (company_id, aoi_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_soil_samples_status ON soil_samples (company_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_soil_samples_updated ON soil_samples (company_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_soil_samples_created_by ON soil_samples (created_by);
