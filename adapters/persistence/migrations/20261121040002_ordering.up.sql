-- What lists are ordered by. Names are ordered by their bytes on both databases: a
-- locale would order them differently from one machine to the next.
CREATE INDEX ix_farms_name ON farms (company_id, name_folded{{if .POSTGRES}} COLLATE "C"{{end}}, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_farms_created_at ON farms (company_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_name ON fields (company_id, name_folded{{if .POSTGRES}} COLLATE "C"{{end}}, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_area ON fields (company_id, area_m2, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_created_at ON fields (company_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_name ON seasons (company_id, name_folded{{if .POSTGRES}} COLLATE "C"{{end}}, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_start_date ON seasons (company_id, start_date, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_end_date ON seasons (company_id, end_date, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_seasons_created_at ON seasons (company_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_cultivations_created_at ON cultivations (company_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_profile_orders_created_at ON profile_orders (company_id, created_at, id);
CREATE INDEX ix_profile_orders_start_date ON profile_orders (company_id, start_date, id);
