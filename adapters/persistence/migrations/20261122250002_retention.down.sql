DROP INDEX ix_assessment_batches_over;
DROP INDEX ix_field_imports_over;
DROP INDEX ix_invitations_expires_at;
DROP INDEX ix_refresh_tokens_expires_at;
