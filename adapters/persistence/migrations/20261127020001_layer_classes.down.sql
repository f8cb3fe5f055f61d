ALTER TABLE layer_rasters DROP COLUMN classes;
