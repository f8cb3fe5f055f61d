-- What was submitted. snapshot and report are JSON as it was written, to the byte: the
-- digest is of those bytes, so they are kept as text on both databases.
CREATE TABLE assessment_versions (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  assessment_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  engine TEXT NOT NULL,
  engine_version TEXT NOT NULL,
  factor_set TEXT NOT NULL,
  factor_set_version TEXT NOT NULL,
  factor_set_digest TEXT NOT NULL,
  gwp_set TEXT NOT NULL,
  report TEXT NOT NULL,
  submitted_at {{.STAMP}} NOT NULL,
  submitted_by BIGINT,
  CONSTRAINT uq_assessment_versions_number UNIQUE (assessment_id, number),
  CONSTRAINT fk_assessment_versions_assessment FOREIGN KEY (company_id, assessment_id) REFERENCES assessments (company_id, id),
  CONSTRAINT fk_assessment_versions_submitted_by FOREIGN KEY (submitted_by) REFERENCES users (id),
  CONSTRAINT ck_assessment_versions_number CHECK (number > 0),
  CONSTRAINT ck_assessment_versions_words CHECK (digest <> '' AND engine <> '' AND factor_set <> '' AND gwp_set <> '')
);
CREATE INDEX ix_assessment_versions_company ON assessment_versions (company_id, assessment_id, number);

-- Versions are never changed: a change of the assessment is another version.
{{if .POSTGRES}}
CREATE FUNCTION keep_assessment_versions() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'submitted versions are append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_assessment_versions_append_only';
END
$body$;
CREATE TRIGGER tr_assessment_versions_append_only BEFORE UPDATE OR DELETE ON assessment_versions
  FOR EACH ROW EXECUTE FUNCTION keep_assessment_versions();
{{else}}
CREATE TRIGGER tr_assessment_versions_no_update BEFORE UPDATE ON assessment_versions
  BEGIN SELECT RAISE(ABORT, 'submitted versions are append-only'); END;
CREATE TRIGGER tr_assessment_versions_no_delete BEFORE DELETE ON assessment_versions
  BEGIN SELECT RAISE(ABORT, 'submitted versions are append-only'); END;
{{end}}

-- What an external engine calls a version in its own books. No answer ever shows it: a
-- request may write it, and only the operator's bundle reads it.
CREATE TABLE assessment_engine_references (
  company_id BIGINT NOT NULL,
  assessment_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  engine TEXT NOT NULL,
  account_reference TEXT NOT NULL,
  assessment_reference TEXT NOT NULL,
  run_reference TEXT NOT NULL,
  CONSTRAINT pk_assessment_engine_references PRIMARY KEY (assessment_id, number),
  CONSTRAINT fk_assessment_engine_references_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_assessment_engine_references_version FOREIGN KEY (assessment_id, number) REFERENCES assessment_versions (assessment_id, number)
);
