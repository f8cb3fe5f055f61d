-- The keys that secrets of this database are sealed with, by id. The keys themselves are
-- elsewhere: a program without one of them refuses to start.
CREATE TABLE secret_keys (
  id TEXT NOT NULL,
  first_used_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_secret_keys PRIMARY KEY (id),
  CONSTRAINT ck_secret_keys_id CHECK (id <> '')
);
