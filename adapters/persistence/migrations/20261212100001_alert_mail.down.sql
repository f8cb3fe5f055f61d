ALTER TABLE users DROP COLUMN alert_mail;
ALTER TABLE letters DROP COLUMN alerts;
DROP TABLE alert_notices;
