ALTER TABLE farms DROP COLUMN base_policy;
ALTER TABLE farms DROP COLUMN base_threshold_pct;
ALTER TABLE farms DROP COLUMN base_year;
