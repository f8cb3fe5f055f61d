-- expand-only
-- What the members of fields are taken from in the file of an import, by member; null in imports that were stored before, which
-- name the properties of two members.
ALTER TABLE field_imports ADD COLUMN mapping {{.JSON}};
