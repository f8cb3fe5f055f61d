ALTER TABLE users DROP COLUMN alert_mail_off;
ALTER TABLE letters DROP COLUMN alerts;
DROP TABLE alert_notices;
