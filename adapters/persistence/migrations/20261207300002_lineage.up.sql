-- Fields that were split or merged, and those that they became.
CREATE TABLE field_lineage (
  from_id BIGINT NOT NULL,
  to_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  merged BOOLEAN NOT NULL,
  CONSTRAINT pk_field_lineage PRIMARY KEY (from_id, to_id),
  CONSTRAINT fk_field_lineage_from FOREIGN KEY (company_id, from_id) REFERENCES fields (company_id, id),
  CONSTRAINT fk_field_lineage_to FOREIGN KEY (company_id, to_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_field_lineage_apart CHECK (from_id <> to_id)
);
CREATE INDEX ix_field_lineage_to ON field_lineage (to_id, from_id);

-- What a company has paid for of a field that it was not charged for: land of fields that this one was merged of. An older
-- server would charge it again, so that it must not run beside a newer one.
CREATE TABLE field_paid_land (
  company_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  area_m2 BIGINT NOT NULL,
  CONSTRAINT pk_field_paid_land PRIMARY KEY (company_id, field_id),
  CONSTRAINT fk_field_paid_land_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_field_paid_land_field FOREIGN KEY (field_id) REFERENCES fields (id),
  CONSTRAINT ck_field_paid_land_area CHECK (area_m2 > 0)
);
CREATE INDEX ix_field_paid_land_field ON field_paid_land (field_id);
