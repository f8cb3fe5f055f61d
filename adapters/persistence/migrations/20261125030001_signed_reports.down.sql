ALTER TABLE assessment_signatures DROP COLUMN parts;
