-- expand-only
-- Records that were written at one time are many: the id orders them, in the index as well, so that a page behind one of them is
-- read from there on.
DROP INDEX ix_farms_updated_at;
CREATE INDEX ix_farms_updated_at ON farms (company_id, updated_at, id) WHERE deleted_at IS NULL;
DROP INDEX ix_fields_updated_at;
CREATE INDEX ix_fields_updated_at ON fields (company_id, updated_at, id) WHERE deleted_at IS NULL;
DROP INDEX ix_seasons_updated_at;
CREATE INDEX ix_seasons_updated_at ON seasons (company_id, updated_at, id) WHERE deleted_at IS NULL;
DROP INDEX ix_cultivations_updated_at;
CREATE INDEX ix_cultivations_updated_at ON cultivations (company_id, updated_at, id) WHERE deleted_at IS NULL;
DROP INDEX ix_profile_orders_updated_at;
CREATE INDEX ix_profile_orders_updated_at ON profile_orders (company_id, updated_at, id);
