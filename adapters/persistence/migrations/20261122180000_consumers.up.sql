-- Each consumer of events that changes records keeps its own mark: the feed the positions,
-- the deliveries of webhooks how far each feed is delivered.
ALTER TABLE event_feeds ADD COLUMN delivered BIGINT NOT NULL DEFAULT 0;
UPDATE event_feeds SET delivered = last;
DROP TABLE outbox_seen;
