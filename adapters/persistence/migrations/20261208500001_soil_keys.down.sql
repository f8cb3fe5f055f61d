DROP INDEX ix_stratification_plans_external_id;
ALTER TABLE stratification_plans DROP COLUMN source;
ALTER TABLE stratification_plans DROP COLUMN external_id;
DROP INDEX ix_stratification_maps_external_id;
ALTER TABLE stratification_maps DROP COLUMN source;
ALTER TABLE stratification_maps DROP COLUMN external_id;
DROP INDEX ix_soil_samples_external_id;
ALTER TABLE soil_samples DROP COLUMN source;
ALTER TABLE soil_samples DROP COLUMN external_id;
