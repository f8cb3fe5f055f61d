-- expand-only
-- The public half of a key that signs chains: what it signed verifies also when the seed is lost.
ALTER TABLE chain_keys ADD COLUMN public {{.BYTES}};
