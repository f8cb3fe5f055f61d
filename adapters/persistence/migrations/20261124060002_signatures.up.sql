-- expand-only
-- What second persons signed of submitted versions.
CREATE TABLE assessment_signatures (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  assessment_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  statement TEXT NOT NULL,
  signed_at {{.STAMP}} NOT NULL,
  signed_by BIGINT NOT NULL,
  CONSTRAINT uq_assessment_signatures_person UNIQUE (assessment_id, number, signed_by),
  CONSTRAINT fk_assessment_signatures_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_assessment_signatures_version FOREIGN KEY (assessment_id, number) REFERENCES assessment_versions (assessment_id, number),
  CONSTRAINT fk_assessment_signatures_signed_by FOREIGN KEY (signed_by) REFERENCES users (id)
);
CREATE INDEX ix_assessment_signatures_signed_by ON assessment_signatures (signed_by);

-- What was signed is never changed or taken back.
{{if .POSTGRES}}
CREATE FUNCTION keep_assessment_signatures() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'signatures are append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_assessment_signatures_append_only';
END
$body$;
CREATE TRIGGER tr_assessment_signatures_append_only BEFORE UPDATE OR DELETE ON assessment_signatures
  FOR EACH ROW EXECUTE FUNCTION keep_assessment_signatures();
{{else}}
CREATE TRIGGER tr_assessment_signatures_no_update BEFORE UPDATE ON assessment_signatures
  BEGIN SELECT RAISE(ABORT, 'signatures are append-only'); END;
CREATE TRIGGER tr_assessment_signatures_no_delete BEFORE DELETE ON assessment_signatures
  BEGIN SELECT RAISE(ABORT, 'signatures are append-only'); END;
{{end}}
