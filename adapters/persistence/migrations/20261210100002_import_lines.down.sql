ALTER TABLE field_import_failures DROP COLUMN line;
