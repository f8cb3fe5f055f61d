-- expand-only
-- The composite that the soil of a sample goes to, as Z2-C1; empty where it is analysed by itself.
ALTER TABLE soil_samples ADD COLUMN composite TEXT NOT NULL DEFAULT '';
