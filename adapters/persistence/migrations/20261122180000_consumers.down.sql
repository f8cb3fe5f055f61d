CREATE TABLE outbox_seen (
  consumer TEXT NOT NULL,
  event_id TEXT NOT NULL,
  seen_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_outbox_seen PRIMARY KEY (consumer, event_id)
);
CREATE INDEX ix_outbox_seen_at ON outbox_seen (seen_at);
ALTER TABLE event_feeds DROP COLUMN delivered;
