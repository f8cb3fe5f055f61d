DROP INDEX ix_assessments_country;
DROP INDEX ix_assessments_climate;
DROP TABLE assessment_batch_notes;
DROP TABLE assessment_batches;
