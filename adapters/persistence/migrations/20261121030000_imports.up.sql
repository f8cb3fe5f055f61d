-- Imports of field outlines that run in the background. What was stored, and how far the
-- import is, change in one transaction.
CREATE TABLE field_imports (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_by BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  farm_id BIGINT NOT NULL,
  name_property TEXT NOT NULL,
  external_id_property TEXT NOT NULL,
  preview BOOLEAN NOT NULL,
  atomic BOOLEAN NOT NULL,
  object TEXT NOT NULL,
  media TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  checking BOOLEAN NOT NULL,
  total BIGINT NOT NULL,
  done BIGINT NOT NULL,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  CONSTRAINT uq_field_imports_company UNIQUE (company_id, id),
  CONSTRAINT fk_field_imports_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_field_imports_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT fk_field_imports_farm FOREIGN KEY (company_id, farm_id) REFERENCES farms (company_id, id),
  CONSTRAINT ck_field_imports_status CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  CONSTRAINT ck_field_imports_done CHECK (done >= 0 AND done <= total)
);

-- The first features of an import that were refused, with what was wrong.
CREATE TABLE field_import_failures (
  import_id BIGINT NOT NULL,
  feature BIGINT NOT NULL,
  name TEXT NOT NULL,
  external_id TEXT NOT NULL,
  errors {{.JSON}} NOT NULL,
  CONSTRAINT pk_field_import_failures PRIMARY KEY (import_id, feature),
  CONSTRAINT fk_field_import_failures_import FOREIGN KEY (import_id) REFERENCES field_imports (id) ON DELETE CASCADE
);
