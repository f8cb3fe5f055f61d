DELETE FROM jobs WHERE failed_at IS NOT NULL;

DROP INDEX ix_jobs_failed;

DROP INDEX ix_jobs_waiting;

CREATE INDEX ix_jobs_waiting ON jobs (run_at, id) WHERE lease IS NULL;

ALTER TABLE jobs DROP COLUMN retried;

ALTER TABLE jobs DROP COLUMN cancelled;

ALTER TABLE jobs DROP COLUMN reason;

ALTER TABLE jobs DROP COLUMN failed_at;
