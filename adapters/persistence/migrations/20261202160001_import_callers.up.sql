-- expand-only
-- Whether an operator asked for an import of fields, and the API key that was shown: the trail names them where it is carried
-- out in the background.
ALTER TABLE field_imports ADD COLUMN operator BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE field_imports ADD COLUMN api_key_id BIGINT;
