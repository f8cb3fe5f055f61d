DROP TABLE soil_samples;
