-- expand-only
-- The day of a round, for tables of results without dates; and the limit of determination that a result is below.
ALTER TABLE soil_samples ADD COLUMN sampled_on {{.DAY}};
ALTER TABLE soil_samples ADD COLUMN soc_limit_pct DOUBLE PRECISION;
