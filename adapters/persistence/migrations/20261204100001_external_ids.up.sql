-- expand-only
-- Fertilizations and areas of interest are kept in step with other systems, as farms, fields and seasons are.
ALTER TABLE fertilizations ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE fertilizations ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX ix_fertilizations_external_id ON fertilizations (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
ALTER TABLE aois ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE aois ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX ix_aois_external_id ON aois (company_id, external_id, id) WHERE deleted_at IS NULL AND external_id <> '';
