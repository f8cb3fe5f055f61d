DROP TABLE field_import_failures;
DROP TABLE field_imports;
