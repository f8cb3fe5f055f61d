ALTER TABLE soil_samples DROP COLUMN soc_limit_pct;
ALTER TABLE soil_samples DROP COLUMN sampled_on;
