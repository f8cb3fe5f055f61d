-- expand-only
-- Alerts of watched fields are told by a letter a day: those that no letter tells of yet, what a letter tells, and who wants none.
CREATE TABLE alert_notices (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  notice {{.JSON}} NOT NULL,
  raised_at {{.STAMP}} NOT NULL,
  CONSTRAINT fk_alert_notices_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
CREATE INDEX ix_alert_notices_company ON alert_notices (company_id, raised_at);
ALTER TABLE letters ADD COLUMN alerts {{.JSON}} NOT NULL DEFAULT '[]';
ALTER TABLE users ADD COLUMN alert_mail_off BOOLEAN NOT NULL DEFAULT FALSE;
