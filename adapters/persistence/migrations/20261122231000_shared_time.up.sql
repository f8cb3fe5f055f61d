-- expand-only
-- The time that due times and leases are stored by, as it was now and then: it never goes back.
CREATE TABLE shared_time (
  id BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_shared_time PRIMARY KEY (id),
  CONSTRAINT ck_shared_time_one CHECK (id = 1)
);
