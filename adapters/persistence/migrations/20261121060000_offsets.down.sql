ALTER TABLE profile_observations DROP COLUMN note;

ALTER TABLE profile_observations DROP COLUMN offsets;
