-- Jobs that failed for good are kept with their reason until the operator retries or cancels
-- them, or what they work on asks for them anew.
ALTER TABLE jobs ADD COLUMN failed_at {{.STAMP}};

ALTER TABLE jobs ADD COLUMN reason TEXT NOT NULL DEFAULT '';

ALTER TABLE jobs ADD COLUMN cancelled BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE jobs ADD COLUMN retried BOOLEAN NOT NULL DEFAULT FALSE;

DROP INDEX ix_jobs_waiting;

CREATE INDEX ix_jobs_waiting ON jobs (run_at, id) WHERE lease IS NULL AND failed_at IS NULL;

CREATE INDEX ix_jobs_failed ON jobs (failed_at, id) WHERE failed_at IS NOT NULL;
