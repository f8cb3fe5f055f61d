-- expand-only
-- Who asked for the maps of a run, as the audit trail says it: an operator inside the company, and with which key.
ALTER TABLE stratification_runs ADD COLUMN operator BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE stratification_runs ADD COLUMN api_key_id BIGINT;
