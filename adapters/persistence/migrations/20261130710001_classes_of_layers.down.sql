ALTER TABLE stratification_layers DROP COLUMN classes;
