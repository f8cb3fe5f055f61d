-- expand-only
-- From where an account was signed in with the right password; keys are digests of both.
CREATE TABLE known_places (
  key TEXT NOT NULL,
  last_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_known_places PRIMARY KEY (key)
);
CREATE INDEX ix_known_places_last_at ON known_places (last_at);
