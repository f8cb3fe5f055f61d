-- An assessment is of a farm or of a field: resource_type and resource_id say which, and
-- farm_id or field_id repeats the id for the keys that hold it to the company.
CREATE TABLE assessments (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  resource_type TEXT NOT NULL,
  resource_id BIGINT NOT NULL,
  farm_id BIGINT,
  field_id BIGINT,
  assessment_year INTEGER,
  growing_area {{.JSON}},
  average_temperature {{.JSON}},
  climate_region TEXT NOT NULL,
  farm_country TEXT NOT NULL,
  data_quality TEXT NOT NULL,
  declarations {{.JSON}} NOT NULL,
  status TEXT NOT NULL,
  completeness_percentage DOUBLE PRECISION NOT NULL,
  is_ready BOOLEAN NOT NULL,
  completeness_computed_at {{.STAMP}},
  calculation_status TEXT NOT NULL,
  calculation_reason TEXT NOT NULL,
  submitted_version INTEGER NOT NULL,
  submitted_at {{.STAMP}},
  has_unsubmitted_changes BOOLEAN NOT NULL,
  CONSTRAINT uq_assessments_company UNIQUE (company_id, id),
  CONSTRAINT fk_assessments_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_assessments_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT fk_assessments_farm FOREIGN KEY (company_id, farm_id) REFERENCES farms (company_id, id),
  CONSTRAINT fk_assessments_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_assessments_resource CHECK (
    (resource_type = 'farm' AND farm_id = resource_id AND field_id IS NULL) OR
    (resource_type = 'field' AND field_id = resource_id AND farm_id IS NULL)),
  CONSTRAINT ck_assessments_status CHECK (status IN ('draft', 'submitted')),
  CONSTRAINT ck_assessments_calculation CHECK (calculation_status IN ('', 'queued', 'running', 'done', 'failed')),
  CONSTRAINT ck_assessments_completeness CHECK (completeness_percentage >= 0 AND completeness_percentage <= 100),
  CONSTRAINT ck_assessments_version CHECK (submitted_version >= 0)
);
CREATE INDEX ix_assessments_live ON assessments (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_year ON assessments (company_id, assessment_year{{if .POSTGRES}} NULLS FIRST{{end}}, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_resource ON assessments (company_id, resource_type, resource_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_resource_id ON assessments (company_id, resource_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_status ON assessments (company_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_ready ON assessments (company_id, is_ready, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_completeness ON assessments (company_id, completeness_percentage, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_created_by ON assessments (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_created_at ON assessments (company_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_updated_at ON assessments (company_id, updated_at, id) WHERE deleted_at IS NULL;
-- What the sweep looks for: written since its completeness was computed, or never computed.
CREATE INDEX ix_assessments_stale ON assessments (updated_at, id)
  WHERE deleted_at IS NULL AND (completeness_computed_at IS NULL OR completeness_computed_at < updated_at);

-- The items of list sections, and the one object of each object section, as they were entered.
CREATE TABLE assessment_rows (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  assessment_id BIGINT NOT NULL,
  section TEXT NOT NULL,
  position INTEGER NOT NULL,
  entered {{.JSON}} NOT NULL,
  CONSTRAINT fk_assessment_rows_assessment FOREIGN KEY (company_id, assessment_id) REFERENCES assessments (company_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_assessment_rows_place ON assessment_rows (assessment_id, section, position, id);

-- How far each section is, written together with the figures of the assessment.
CREATE TABLE assessment_states (
  assessment_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  sections {{.JSON}} NOT NULL,
  CONSTRAINT pk_assessment_states PRIMARY KEY (assessment_id),
  CONSTRAINT fk_assessment_states_assessment FOREIGN KEY (company_id, assessment_id) REFERENCES assessments (company_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_assessment_states_company ON assessment_states (company_id, assessment_id);
