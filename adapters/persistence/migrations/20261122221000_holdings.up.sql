-- expand-only
-- What a company has is counted before it gets more.
CREATE INDEX ix_jobs_company ON jobs (company_id, kind) WHERE failed_at IS NULL;
CREATE INDEX ix_invitations_open ON invitations (company_id, expires_at) WHERE accepted_at IS NULL AND revoked_at IS NULL;
