-- Which boundaries overlap, so that no request compares them all again. Fields are never removed,
-- and a reference to one would take its lock: then two changes could wait for each other.
CREATE TABLE field_overlaps (
  company_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  place INTEGER NOT NULL,
  other_id BIGINT NOT NULL,
  CONSTRAINT pk_field_overlaps PRIMARY KEY (field_id, other_id),
  CONSTRAINT fk_field_overlaps_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_field_overlaps_two CHECK (field_id <> other_id)
);
CREATE INDEX ix_field_overlaps_other ON field_overlaps (company_id, other_id, field_id);

-- The fields whose overlaps are not all there: those still to be checked, and those that overlap
-- more fields than are named.
CREATE TABLE field_overlap_checks (
  company_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  pending BOOLEAN NOT NULL,
  CONSTRAINT pk_field_overlap_checks PRIMARY KEY (field_id),
  CONSTRAINT fk_field_overlap_checks_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
CREATE INDEX ix_field_overlap_checks_pending ON field_overlap_checks (company_id, field_id) WHERE pending;

-- What is there is checked in the background.
INSERT INTO field_overlap_checks (company_id, field_id, pending)
SELECT company_id, id, TRUE FROM fields WHERE boundary IS NOT NULL AND deleted_at IS NULL;
INSERT INTO jobs (kind, key, company_id, subject, run_at, attempt)
SELECT 'field_overlaps', CAST(company_id AS TEXT), company_id, company_id, MAX(updated_at), 0
FROM fields WHERE boundary IS NOT NULL AND deleted_at IS NULL GROUP BY company_id;
