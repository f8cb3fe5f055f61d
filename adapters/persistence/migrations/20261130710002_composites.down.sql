ALTER TABLE soil_samples DROP COLUMN composite;
