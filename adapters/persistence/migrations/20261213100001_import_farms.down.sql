ALTER TABLE field_imports DROP COLUMN farms;
ALTER TABLE field_imports DROP COLUMN makes_farms;
