-- expand-only
-- Where the fields of a company lie, and how wide the widest is, without reading their outlines.
DROP INDEX ix_fields_box;
CREATE INDEX ix_fields_box ON fields (company_id, min_x, max_x, min_y, max_y, id, updated_at) WHERE deleted_at IS NULL;
CREATE INDEX ix_fields_width ON fields (company_id, (max_x - min_x)) WHERE deleted_at IS NULL AND min_x IS NOT NULL;
CREATE INDEX ix_fields_spot ON fields (company_id, farm_id, centroid_x, centroid_y) WHERE deleted_at IS NULL AND centroid_x IS NOT NULL;
