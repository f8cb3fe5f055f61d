DROP TABLE field_boundaries;
