-- expand-only
-- Layers whose values name classes. Those that were prepared before count as numbers, as they did.
ALTER TABLE stratification_layers ADD COLUMN classes BOOLEAN NOT NULL DEFAULT FALSE;
