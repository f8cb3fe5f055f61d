ALTER TABLE chain_keys DROP COLUMN public;
