DROP TABLE map_layers;
