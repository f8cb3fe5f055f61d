-- With which engine and factor set the results of a company are computed; a company
-- without a row takes the default.
CREATE TABLE engine_choices (
  company_id BIGINT NOT NULL,
  engine TEXT NOT NULL,
  factor_set TEXT NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_engine_choices PRIMARY KEY (company_id),
  CONSTRAINT fk_engine_choices_company FOREIGN KEY (company_id) REFERENCES companies (id)
);

-- What a version says of itself beside its figures: JSON as it was written, to the byte.
-- Versions are never changed, so those before have none.
ALTER TABLE assessment_versions ADD COLUMN subject TEXT NOT NULL DEFAULT '';
