-- What a registered raster is, whose orders alone it is for, and whether it is coarser than its
-- pixels tell.
ALTER TABLE layer_rasters ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE layer_rasters ADD COLUMN company_id BIGINT;
ALTER TABLE layer_rasters ADD COLUMN coarse BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX ix_layer_rasters_company ON layer_rasters (company_id, name);
