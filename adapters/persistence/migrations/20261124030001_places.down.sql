DROP INDEX ix_fields_spot;
DROP INDEX ix_fields_width;
DROP INDEX ix_fields_box;
CREATE INDEX ix_fields_box ON fields (company_id, min_x, max_x, min_y, max_y, id) WHERE deleted_at IS NULL;
