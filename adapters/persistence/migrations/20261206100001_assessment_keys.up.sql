-- expand-only
-- Assessments are kept in step with other systems, as farm records and areas of interest are.
ALTER TABLE assessments ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE assessments ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX ix_assessments_external_id ON assessments (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
