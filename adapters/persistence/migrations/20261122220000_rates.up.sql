-- expand-only
-- What the servers of one database share of how often callers ask. Keys are digests.
CREATE TABLE rate_sums (
  key TEXT NOT NULL,
  taken BIGINT NOT NULL,
  last_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_rate_sums PRIMARY KEY (key),
  CONSTRAINT ck_rate_sums_taken CHECK (taken >= 0)
);
CREATE INDEX ix_rate_sums_last_at ON rate_sums (last_at);

-- The signs of life that each server has counted.
CREATE TABLE replicas (
  id TEXT NOT NULL,
  beats BIGINT NOT NULL,
  last_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_replicas PRIMARY KEY (id)
);
CREATE INDEX ix_replicas_last_at ON replicas (last_at);
