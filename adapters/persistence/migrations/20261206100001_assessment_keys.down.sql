DROP INDEX ix_assessments_external_id;
ALTER TABLE assessments DROP COLUMN source;
ALTER TABLE assessments DROP COLUMN external_id;
