-- expand-only
-- What people entered, as they wrote it, frozen with each submitted version, and how complete it was. Versions of before have
-- none. The text is kept to the byte: entered_digest is of those bytes.
ALTER TABLE assessment_versions ADD COLUMN entered TEXT NOT NULL DEFAULT '';
ALTER TABLE assessment_versions ADD COLUMN entered_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE assessment_versions ADD COLUMN completeness TEXT NOT NULL DEFAULT '';
