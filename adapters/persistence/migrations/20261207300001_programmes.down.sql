DROP TABLE stratification_order_fields;
DROP INDEX ix_profile_orders_lent;
-- The orders of other companies' fields have no place in the earlier schema. What was paid for them stays in the ledger.
DELETE FROM profile_orders WHERE field_company_id <> company_id;
DELETE FROM field_charges WHERE company_id <> (SELECT f.company_id FROM fields AS f WHERE f.id = field_charges.field_id);
DROP INDEX ix_field_charges_field;
{{if .POSTGRES}}
ALTER TABLE profile_orders DROP CONSTRAINT fk_profile_orders_field;
ALTER TABLE profile_orders ADD CONSTRAINT fk_profile_orders_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id);
ALTER TABLE ledger_transactions DROP CONSTRAINT fk_ledger_transactions_field;
ALTER TABLE ledger_transactions ADD CONSTRAINT fk_ledger_transactions_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id) NOT VALID;
ALTER TABLE field_charges DROP CONSTRAINT fk_field_charges_field;
ALTER TABLE field_charges DROP CONSTRAINT uq_field_charges_field;
ALTER TABLE field_charges ADD CONSTRAINT uq_field_charges_field PRIMARY KEY (field_id);
ALTER TABLE field_charges ADD CONSTRAINT fk_field_charges_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id);
{{else}}
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'fk_profile_orders_field FOREIGN KEY (field_company_id, field_id)',
  'fk_profile_orders_field FOREIGN KEY (company_id, field_id)') WHERE type = 'table' AND name = 'profile_orders';
UPDATE sqlite_schema SET sql = replace(sql, 'fk_ledger_transactions_field FOREIGN KEY (field_id) REFERENCES fields (id)',
  'fk_ledger_transactions_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id)') WHERE type = 'table' AND name = 'ledger_transactions';
PRAGMA writable_schema = RESET;
CREATE TABLE charges_before AS SELECT * FROM field_charges;
DROP TABLE field_charges;
CREATE TABLE field_charges (
  field_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  product TEXT NOT NULL,
  amount BIGINT NOT NULL,
  captured BOOLEAN NOT NULL,
  CONSTRAINT uq_field_charges_field PRIMARY KEY (field_id),
  CONSTRAINT fk_field_charges_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id),
  CONSTRAINT ck_field_charges_amount CHECK (amount >= 0),
  CONSTRAINT ck_field_charges_product CHECK (product IN
    ('vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
INSERT INTO field_charges (field_id, company_id, order_id, product, amount, captured)
  SELECT field_id, company_id, order_id, product, amount, captured FROM charges_before;
DROP TABLE charges_before;
{{end}}
CREATE INDEX ix_field_charges_company ON field_charges (company_id, field_id);
ALTER TABLE profile_orders DROP COLUMN field_company_id;
