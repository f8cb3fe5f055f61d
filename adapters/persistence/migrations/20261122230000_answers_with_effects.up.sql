-- A row is stored in the transaction of its effect, with the answer: there are no claims any
-- more. What was carried out without a stored answer is never carried out again.
UPDATE replays SET answered_at = executed_at, status = 409, header = '{"Content-Type": "application/json"}',
  body = CAST('{"status":"error","message":"The request was carried out by an earlier release, which lost its answer. Look at the records before you repeat it with a new key.","code":"conflict","details":{}}' AS {{.BYTES}})
WHERE answered_at IS NULL AND executed_at IS NOT NULL;

DELETE FROM replays WHERE answered_at IS NULL;

DROP INDEX ix_replays_claimed_at;

ALTER TABLE replays DROP COLUMN answered_at;

ALTER TABLE replays DROP COLUMN executed_at;

ALTER TABLE replays DROP COLUMN lease_until;

ALTER TABLE replays DROP COLUMN token;

ALTER TABLE replays RENAME COLUMN claimed_at TO answered_at;

CREATE INDEX ix_replays_answered_at ON replays (answered_at);
