ALTER TABLE field_imports DROP COLUMN api_key_id;
ALTER TABLE field_imports DROP COLUMN operator;
