-- expand-only
-- Orders of maps of soil carbon: what they are made of, and the map once it is made; NULL for orders of layers.
ALTER TABLE stratification_orders ADD COLUMN map_type TEXT NOT NULL DEFAULT 'STR';
ALTER TABLE stratification_orders ADD COLUMN carbon {{.JSON}};
