DROP INDEX ix_aois_external_id;
ALTER TABLE aois DROP COLUMN source;
ALTER TABLE aois DROP COLUMN external_id;
DROP INDEX ix_fertilizations_external_id;
ALTER TABLE fertilizations DROP COLUMN source;
ALTER TABLE fertilizations DROP COLUMN external_id;
