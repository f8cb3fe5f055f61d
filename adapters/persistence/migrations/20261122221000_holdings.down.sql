DROP INDEX ix_invitations_open;
DROP INDEX ix_jobs_company;
