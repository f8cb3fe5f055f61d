ALTER TABLE field_imports DROP COLUMN mapping;
