DROP INDEX ix_replays_answered_at;

ALTER TABLE replays RENAME COLUMN answered_at TO claimed_at;

ALTER TABLE replays ADD COLUMN token TEXT NOT NULL DEFAULT '';

ALTER TABLE replays ADD COLUMN lease_until {{.STAMP}} NOT NULL DEFAULT '1970-01-01T00:00:00.000000Z';

ALTER TABLE replays ADD COLUMN executed_at {{.STAMP}};

ALTER TABLE replays ADD COLUMN answered_at {{.STAMP}};

UPDATE replays SET lease_until = claimed_at, executed_at = claimed_at, answered_at = claimed_at;

CREATE INDEX ix_replays_claimed_at ON replays (claimed_at);
