-- expand-only
-- Files that people attach to assessments as evidence. Their bytes lie among the objects. A row is stored before the bytes
-- are, so that what a kill leaves behind is found: without attached_at they are on their way, and nothing lists the row. With
-- removed_at the file is detached for good; the row and the bytes stay where a submitted version holds them.
CREATE TABLE assessment_evidence (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  assessment_id BIGINT NOT NULL,
  object TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  section TEXT NOT NULL,
  item_id BIGINT NOT NULL,
  field TEXT NOT NULL,
  note TEXT NOT NULL,
  uploaded_at {{.STAMP}} NOT NULL,
  uploaded_by BIGINT NOT NULL,
  attached_at {{.STAMP}},
  removed_at {{.STAMP}},
  CONSTRAINT uq_assessment_evidence_object UNIQUE (object),
  CONSTRAINT fk_assessment_evidence_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_assessment_evidence_assessment FOREIGN KEY (company_id, assessment_id) REFERENCES assessments (company_id, id),
  CONSTRAINT fk_assessment_evidence_uploaded_by FOREIGN KEY (uploaded_by) REFERENCES users (id)
);
CREATE INDEX ix_assessment_evidence_assessment ON assessment_evidence (assessment_id, id);
CREATE UNIQUE INDEX uq_assessment_evidence_content ON assessment_evidence (assessment_id, sha256) WHERE attached_at IS NOT NULL AND removed_at IS NULL;
CREATE INDEX ix_assessment_evidence_uploaded_by ON assessment_evidence (uploaded_by);
CREATE INDEX ix_assessment_evidence_begun ON assessment_evidence (uploaded_at) WHERE attached_at IS NULL AND removed_at IS NULL;
CREATE INDEX ix_assessment_evidence_removed ON assessment_evidence (removed_at) WHERE removed_at IS NOT NULL;

-- What a submitted version holds. What it says of the files is in the version itself.
CREATE TABLE assessment_version_evidence (
  company_id BIGINT NOT NULL,
  assessment_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  evidence_id BIGINT NOT NULL,
  CONSTRAINT pk_assessment_version_evidence PRIMARY KEY (assessment_id, number, evidence_id),
  CONSTRAINT fk_assessment_version_evidence_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_assessment_version_evidence_version FOREIGN KEY (assessment_id, number) REFERENCES assessment_versions (assessment_id, number),
  CONSTRAINT fk_assessment_version_evidence_file FOREIGN KEY (evidence_id) REFERENCES assessment_evidence (id)
);
CREATE INDEX ix_assessment_version_evidence_file ON assessment_version_evidence (evidence_id);
{{if .POSTGRES}}
CREATE FUNCTION keep_assessment_version_evidence() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the evidence of submitted versions is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_assessment_version_evidence_append_only';
END
$body$;
CREATE TRIGGER tr_assessment_version_evidence_append_only BEFORE UPDATE OR DELETE ON assessment_version_evidence
  FOR EACH ROW EXECUTE FUNCTION keep_assessment_version_evidence();
{{else}}
CREATE TRIGGER tr_assessment_version_evidence_no_update BEFORE UPDATE ON assessment_version_evidence
  BEGIN SELECT RAISE(ABORT, 'the evidence of submitted versions is append-only'); END;
CREATE TRIGGER tr_assessment_version_evidence_no_delete BEFORE DELETE ON assessment_version_evidence
  BEGIN SELECT RAISE(ABORT, 'the evidence of submitted versions is append-only'); END;
{{end}}
-- The list of the files, kept to the byte, and the SHA-256 of that text; empty: nothing was attached.
ALTER TABLE assessment_versions ADD COLUMN evidence TEXT NOT NULL DEFAULT '';
ALTER TABLE assessment_versions ADD COLUMN evidence_digest TEXT NOT NULL DEFAULT '';
