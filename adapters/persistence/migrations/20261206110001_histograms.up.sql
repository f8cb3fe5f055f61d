-- expand-only
-- How the index of a field spreads over its pixels on a date: [[bin, ten-thousandths], …]; empty where it was not worked out.
ALTER TABLE profile_dates ADD COLUMN histogram TEXT NOT NULL DEFAULT '[]';
