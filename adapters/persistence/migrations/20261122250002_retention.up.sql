-- expand-only
-- What is removed once it is old is found by its age.
CREATE INDEX ix_refresh_tokens_expires_at ON refresh_tokens (expires_at);
CREATE INDEX ix_invitations_expires_at ON invitations (expires_at);
CREATE INDEX ix_field_imports_over ON field_imports (updated_at) WHERE status IN ('completed', 'failed');
CREATE INDEX ix_assessment_batches_over ON assessment_batches (updated_at) WHERE status IN ('completed', 'failed');
