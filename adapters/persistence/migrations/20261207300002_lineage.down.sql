DROP TABLE field_paid_land;
DROP TABLE field_lineage;
