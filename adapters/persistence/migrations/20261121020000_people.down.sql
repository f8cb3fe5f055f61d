DROP TABLE letters;
DROP TABLE sign_in_attempts;
DROP TABLE tickets;
DROP TABLE invitation_roles;
DROP TABLE invitations;
DROP INDEX ix_users_company_id;
