DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
DROP TABLE event_feeds;
DROP INDEX ix_outbox_seen_at;
DROP INDEX ix_outbox_logged_at;
DROP INDEX ix_outbox_unlogged;
DROP INDEX uq_outbox_position;
ALTER TABLE outbox DROP COLUMN logged_at;
ALTER TABLE outbox DROP COLUMN position;
