ALTER TABLE assessment_versions DROP COLUMN subject;
DROP TABLE engine_choices;
