-- expand-only
-- What was deleted is listed for as long as it can be restored.
CREATE INDEX ix_farms_deleted ON farms (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_fields_deleted ON fields (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_seasons_deleted ON seasons (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_cultivations_deleted ON cultivations (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_fertilizations_deleted ON fertilizations (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_aois_deleted ON aois (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
