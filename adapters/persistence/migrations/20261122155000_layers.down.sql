DROP INDEX ix_layer_rasters_company;
ALTER TABLE layer_rasters DROP COLUMN coarse;
ALTER TABLE layer_rasters DROP COLUMN company_id;
ALTER TABLE layer_rasters DROP COLUMN description;
