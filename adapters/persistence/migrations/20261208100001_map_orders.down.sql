DROP TABLE outline_charges;
DROP TABLE map_dates;
DROP TABLE map_orders;
