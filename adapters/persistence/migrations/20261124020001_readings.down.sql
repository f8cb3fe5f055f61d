-- The series of other readings than the usual are lost, and so is what orders say of their own.
ALTER TABLE profile_derivations RENAME TO profile_derivations_after;
CREATE TABLE profile_derivations (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  checked_at {{.STAMP}},
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_profile_derivations PRIMARY KEY (order_id, index_code),
  CONSTRAINT fk_profile_derivations_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE,
  CONSTRAINT ck_profile_derivations_status CHECK (status IN ('processing', 'active', 'failed')),
  CONSTRAINT ck_profile_derivations_attempts CHECK (attempts >= 0)
);

INSERT INTO profile_derivations (order_id, index_code, status, reason, attempts, checked_at, updated_at)
  SELECT order_id, index_code, status, reason, attempts, checked_at, updated_at FROM profile_derivations_after
  WHERE mask = 'standard' AND dataset = 'all';

DROP TABLE profile_derivations_after;

DROP INDEX uq_profile_readings;

DELETE FROM profile_readings WHERE mask <> 'standard' OR dataset <> 'all';

ALTER TABLE profile_readings DROP COLUMN dataset;

ALTER TABLE profile_readings DROP COLUMN mask;
CREATE UNIQUE INDEX uq_profile_readings ON profile_readings (order_id, boundary_id, index_code);

ALTER TABLE profile_orders DROP COLUMN dataset;

ALTER TABLE profile_orders DROP COLUMN mask;
