ALTER TABLE profile_observations DROP COLUMN synthetic;

ALTER TABLE profile_observations DROP COLUMN small_field;

ALTER TABLE profile_observations DROP COLUMN no_scl;

ALTER TABLE profile_observations DROP COLUMN fingerprint;
