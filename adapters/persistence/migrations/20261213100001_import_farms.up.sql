-- expand-only
-- Whether who sent the file may make farms, and the farms that the import makes, by name: their ids, or 0 where a preview would make them.
ALTER TABLE field_imports ADD COLUMN makes_farms BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE field_imports ADD COLUMN farms {{.JSON}} NOT NULL DEFAULT '{}';
