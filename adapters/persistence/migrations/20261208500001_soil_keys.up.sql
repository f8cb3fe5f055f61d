-- expand-only
-- Samples, saved maps of zones and saved plans are kept in step with other systems, as areas of interest are.
ALTER TABLE soil_samples ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE soil_samples ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX ix_soil_samples_external_id ON soil_samples (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
ALTER TABLE stratification_maps ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE stratification_maps ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX ix_stratification_maps_external_id ON stratification_maps (company_id, external_id, id) WHERE external_id <> '';
ALTER TABLE stratification_plans ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE stratification_plans ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX ix_stratification_plans_external_id ON stratification_plans (company_id, external_id, id) WHERE external_id <> '';
