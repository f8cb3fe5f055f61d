-- A company may order profiles of fields that others share with it. The order and its charge are the company's own, the field
-- is that of field_company_id; a field is charged once for each company that pays.
ALTER TABLE profile_orders ADD COLUMN field_company_id BIGINT NOT NULL DEFAULT 0;
UPDATE profile_orders SET field_company_id = company_id;
{{if .POSTGRES}}
ALTER TABLE profile_orders ALTER COLUMN field_company_id DROP DEFAULT;
ALTER TABLE profile_orders DROP CONSTRAINT fk_profile_orders_field;
ALTER TABLE profile_orders ADD CONSTRAINT fk_profile_orders_field FOREIGN KEY (field_company_id, field_id) REFERENCES fields (company_id, id);
ALTER TABLE ledger_transactions DROP CONSTRAINT fk_ledger_transactions_field;
ALTER TABLE ledger_transactions ADD CONSTRAINT fk_ledger_transactions_field FOREIGN KEY (field_id) REFERENCES fields (id);
DROP INDEX ix_field_charges_company;
ALTER TABLE field_charges DROP CONSTRAINT fk_field_charges_field;
ALTER TABLE field_charges DROP CONSTRAINT uq_field_charges_field;
ALTER TABLE field_charges ADD CONSTRAINT uq_field_charges_field PRIMARY KEY (company_id, field_id);
ALTER TABLE field_charges ADD CONSTRAINT fk_field_charges_field FOREIGN KEY (field_id) REFERENCES fields (id);
CREATE INDEX ix_field_charges_field ON field_charges (field_id);
{{else}}
-- SQLite changes no constraint, and making the tables anew would delete what refers to them. The words of a constraint that
-- says nothing of how rows are stored may be changed where they stand (sqlite.org/lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'fk_profile_orders_field FOREIGN KEY (company_id, field_id)',
  'fk_profile_orders_field FOREIGN KEY (field_company_id, field_id)') WHERE type = 'table' AND name = 'profile_orders';
UPDATE sqlite_schema SET sql = replace(sql, 'fk_ledger_transactions_field FOREIGN KEY (company_id, field_id) REFERENCES fields (company_id, id)',
  'fk_ledger_transactions_field FOREIGN KEY (field_id) REFERENCES fields (id)') WHERE type = 'table' AND name = 'ledger_transactions';
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
  CONSTRAINT uq_field_charges_field PRIMARY KEY (company_id, field_id),
  CONSTRAINT fk_field_charges_field FOREIGN KEY (field_id) REFERENCES fields (id),
  CONSTRAINT ck_field_charges_amount CHECK (amount >= 0),
  CONSTRAINT ck_field_charges_product CHECK (product IN
    ('vegetation_index_profile', 'vegetation_index_map', 'zoning_map', 'soil_map', 'elevation_map'))
);
INSERT INTO field_charges (field_id, company_id, order_id, product, amount, captured)
  SELECT field_id, company_id, order_id, product, amount, captured FROM charges_before;
DROP TABLE charges_before;
CREATE INDEX ix_field_charges_field ON field_charges (field_id);
{{end}}
-- The orders of fields of others, which are seen while a grant says so. Most companies have none.
CREATE INDEX ix_profile_orders_lent ON profile_orders (company_id, field_id) WHERE field_company_id <> company_id;

-- The fields that an order's land was of when it was ordered: its maps, plans and samples are shared only where all are.
CREATE TABLE stratification_order_fields (
  order_id BIGINT NOT NULL,
  field_id BIGINT NOT NULL,
  CONSTRAINT pk_stratification_order_fields PRIMARY KEY (order_id, field_id),
  CONSTRAINT fk_stratification_order_fields_order FOREIGN KEY (order_id) REFERENCES stratification_orders (id) ON DELETE CASCADE,
  CONSTRAINT fk_stratification_order_fields_field FOREIGN KEY (field_id) REFERENCES fields (id)
);
{{if .POSTGRES}}
INSERT INTO stratification_order_fields (order_id, field_id)
  SELECT DISTINCT o.id, CAST(l.value ->> 'field_id' AS BIGINT) FROM stratification_orders AS o, jsonb_array_elements(o.land) AS l;
{{else}}
INSERT INTO stratification_order_fields (order_id, field_id)
  SELECT DISTINCT o.id, CAST(l.value ->> 'field_id' AS INTEGER) FROM stratification_orders AS o, json_each(o.land) AS l;
{{end}}
