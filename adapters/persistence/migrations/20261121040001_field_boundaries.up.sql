-- The boundaries that a field has had. The one in force has no end.
CREATE TABLE field_boundaries (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  boundary {{.JSON}} NOT NULL,
  area_m2 BIGINT NOT NULL,
  valid_from {{.STAMP}} NOT NULL,
  valid_to {{.STAMP}},
  changed_by BIGINT,
  CONSTRAINT fk_field_boundaries_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT fk_field_boundaries_changed_by FOREIGN KEY (changed_by) REFERENCES users (id)
);
CREATE INDEX ix_field_boundaries_field ON field_boundaries (company_id, field_id, id);
CREATE UNIQUE INDEX uq_field_boundaries_open ON field_boundaries (field_id) WHERE valid_to IS NULL;
INSERT INTO field_boundaries (company_id, field_id, boundary, area_m2, valid_from, changed_by)
  SELECT company_id, id, boundary, area_m2, created_at, created_by FROM fields WHERE boundary IS NOT NULL;
