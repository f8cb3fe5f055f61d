-- expand-only
-- The year that later inventories of a farm are compared with, and when it is recalculated; NULL: not stated.
ALTER TABLE farms ADD COLUMN base_year INTEGER;
ALTER TABLE farms ADD COLUMN base_threshold_pct DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE farms ADD COLUMN base_policy TEXT NOT NULL DEFAULT '';
