ALTER TABLE stratification_orders DROP COLUMN carbon;
ALTER TABLE stratification_orders DROP COLUMN map_type;
