DROP INDEX ix_farms_deleted;
DROP INDEX ix_fields_deleted;
DROP INDEX ix_seasons_deleted;
DROP INDEX ix_cultivations_deleted;
DROP INDEX ix_fertilizations_deleted;
DROP INDEX ix_aois_deleted;
