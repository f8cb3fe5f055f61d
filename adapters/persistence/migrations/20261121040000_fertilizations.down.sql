DROP TABLE fertilizations;
