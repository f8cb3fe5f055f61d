-- expand-only
-- What was refused of a table is named by the row that its people see.
ALTER TABLE field_import_failures ADD COLUMN line BIGINT NOT NULL DEFAULT 0;
