-- Whether the numbers of a registered raster name classes, of which there is no mean.
ALTER TABLE layer_rasters ADD COLUMN classes BOOLEAN NOT NULL DEFAULT FALSE;
