DROP TABLE layer_rasters;
DROP TABLE stratification_layers;
DROP TABLE stratification_orders;
DROP TABLE aoi_fields;
DROP TABLE aois;
DROP TABLE subscriptions;
