-- amount_value and amount_unit are kept as they were typed; rates are worked out when they are read.
CREATE TABLE fertilizations (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  cultivation_id BIGINT NOT NULL,
  applied_on {{.DAY}},
  product_name TEXT NOT NULL,
  product_name_folded TEXT NOT NULL,
  product TEXT NOT NULL,
  amount_value DOUBLE PRECISION,
  amount_unit TEXT NOT NULL,
  density_kg_per_l DOUBLE PRECISION,
  treated_area_ha DOUBLE PRECISION,
  n_pct DOUBLE PRECISION,
  p2o5_pct DOUBLE PRECISION,
  k2o_pct DOUBLE PRECISION,
  s_pct DOUBLE PRECISION,
  cao_pct DOUBLE PRECISION,
  mgo_pct DOUBLE PRECISION,
  n_nitrate_share_pct DOUBLE PRECISION,
  n_ammonium_share_pct DOUBLE PRECISION,
  n_urea_share_pct DOUBLE PRECISION,
  n_organic_share_pct DOUBLE PRECISION,
  dry_matter_pct DOUBLE PRECISION,
  nutrient_basis TEXT NOT NULL,
  inhibitor TEXT NOT NULL,
  application_method TEXT NOT NULL,
  incorporation_hours DOUBLE PRECISION,
  notes TEXT NOT NULL,
  CONSTRAINT uq_fertilizations_company UNIQUE (company_id, id),
  CONSTRAINT fk_fertilizations_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_fertilizations_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT fk_fertilizations_cultivation FOREIGN KEY (company_id, cultivation_id) REFERENCES cultivations (company_id, id),
  CONSTRAINT ck_fertilizations_amount CHECK ((amount_value IS NULL) = (amount_unit = '')),
  CONSTRAINT ck_fertilizations_basis CHECK (nutrient_basis IN ('oxide', 'elemental'))
);
CREATE INDEX ix_fertilizations_live ON fertilizations (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fertilizations_cultivation ON fertilizations (company_id, cultivation_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fertilizations_product ON fertilizations (company_id, product, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fertilizations_applied_on ON fertilizations (company_id, applied_on{{if .POSTGRES}} NULLS FIRST{{end}}, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fertilizations_created_by ON fertilizations (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fertilizations_created_at ON fertilizations (company_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fertilizations_updated_at ON fertilizations (company_id, updated_at, id) WHERE deleted_at IS NULL;
