-- What a date was made from, and what of it holds for its series. A date without a
-- fingerprint is computed anew by the next refresh.
ALTER TABLE profile_observations ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';

ALTER TABLE profile_observations ADD COLUMN no_scl BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE profile_observations ADD COLUMN small_field BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE profile_observations ADD COLUMN synthetic BOOLEAN NOT NULL DEFAULT FALSE;
