-- What turned digital numbers into reflectance, for each scene of an observation, and why
-- a scene of a rejected date could not be read.
ALTER TABLE profile_observations ADD COLUMN offsets {{.JSON}} NOT NULL DEFAULT '[]';

ALTER TABLE profile_observations ADD COLUMN note TEXT NOT NULL DEFAULT '';
