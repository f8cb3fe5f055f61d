ALTER TABLE assessment_versions DROP COLUMN completeness;
ALTER TABLE assessment_versions DROP COLUMN entered_digest;
ALTER TABLE assessment_versions DROP COLUMN entered;
