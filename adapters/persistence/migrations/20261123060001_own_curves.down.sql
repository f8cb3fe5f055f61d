DROP TABLE own_curves;
