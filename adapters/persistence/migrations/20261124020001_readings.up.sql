-- A series belongs to an order, an outline and a reading: an index, a mask and the data sets that it is of. Orders know
-- their own reading. What is there was made with the standard mask, of all data sets of the archive.
ALTER TABLE profile_orders ADD COLUMN mask TEXT NOT NULL DEFAULT 'standard';

ALTER TABLE profile_orders ADD COLUMN dataset TEXT NOT NULL DEFAULT 'all';

ALTER TABLE profile_readings ADD COLUMN mask TEXT NOT NULL DEFAULT 'standard';

ALTER TABLE profile_readings ADD COLUMN dataset TEXT NOT NULL DEFAULT 'all';

DROP INDEX uq_profile_readings;
CREATE UNIQUE INDEX uq_profile_readings ON profile_readings (order_id, boundary_id, index_code, mask, dataset);

ALTER TABLE profile_derivations RENAME TO profile_derivations_before;
CREATE TABLE profile_derivations (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  mask TEXT NOT NULL,
  dataset TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  checked_at {{.STAMP}},
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_profile_derivations_reading PRIMARY KEY (order_id, index_code, mask, dataset),
  CONSTRAINT fk_profile_derivations_of_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE,
  CONSTRAINT ck_profile_derivations_state CHECK (status IN ('processing', 'active', 'failed')),
  CONSTRAINT ck_profile_derivations_tries CHECK (attempts >= 0)
);

INSERT INTO profile_derivations (order_id, index_code, mask, dataset, status, reason, attempts, checked_at, updated_at)
  SELECT order_id, index_code, 'standard', 'all', status, reason, attempts, checked_at, updated_at FROM profile_derivations_before;

DROP TABLE profile_derivations_before;
