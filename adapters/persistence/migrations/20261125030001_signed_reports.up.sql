-- expand-only
-- How many of its parts the digest of a signature is of: those of before are of the first eight, without the report.
ALTER TABLE assessment_signatures ADD COLUMN parts INTEGER NOT NULL DEFAULT 8;
