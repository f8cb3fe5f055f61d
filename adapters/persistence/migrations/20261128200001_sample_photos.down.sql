DROP TABLE sample_photos;
