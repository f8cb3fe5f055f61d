-- Requests that carried an Idempotency-Key. A row is claimed (token), then its effect
-- is committed (executed_at), then its answer is stored (answered_at).
CREATE TABLE replays (
  company_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  token TEXT NOT NULL,
  claimed_at {{.STAMP}} NOT NULL,
  lease_until {{.STAMP}} NOT NULL,
  executed_at {{.STAMP}},
  answered_at {{.STAMP}},
  status INTEGER NOT NULL,
  header {{.JSON}} NOT NULL,
  body {{.BYTES}},
  CONSTRAINT pk_replays PRIMARY KEY (company_id, key),
  CONSTRAINT fk_replays_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
CREATE INDEX ix_replays_claimed_at ON replays (claimed_at);
