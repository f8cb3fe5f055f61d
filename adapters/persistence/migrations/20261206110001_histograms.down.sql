ALTER TABLE profile_dates DROP COLUMN histogram;
