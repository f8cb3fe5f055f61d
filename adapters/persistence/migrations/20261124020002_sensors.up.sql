-- expand-only
-- What a date of a harmonised series is of, and what was adjusted; an empty object for other series.
ALTER TABLE profile_dates ADD COLUMN sensor {{.JSON}} NOT NULL DEFAULT '{}';
