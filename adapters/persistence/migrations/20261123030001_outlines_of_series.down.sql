-- The series on earlier outlines are lost.
CREATE TABLE profile_series (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  CONSTRAINT pk_profile_series PRIMARY KEY (order_id, index_code),
  CONSTRAINT fk_profile_series_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE
);

CREATE TABLE profile_observations (
  order_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  date {{.DAY}} NOT NULL,
  line INTEGER NOT NULL,
  reason TEXT NOT NULL,
  coverage DOUBLE PRECISION NOT NULL,
  n_valid INTEGER NOT NULL,
  n_polygon INTEGER NOT NULL,
  items {{.JSON}} NOT NULL,
  offsets {{.JSON}} NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  fingerprint TEXT NOT NULL DEFAULT '',
  no_scl BOOLEAN NOT NULL DEFAULT FALSE,
  small_field BOOLEAN NOT NULL DEFAULT FALSE,
  synthetic BOOLEAN NOT NULL DEFAULT FALSE,
  mean DOUBLE PRECISION,
  median DOUBLE PRECISION,
  std DOUBLE PRECISION,
  min DOUBLE PRECISION,
  max DOUBLE PRECISION,
  p10 DOUBLE PRECISION,
  p90 DOUBLE PRECISION,
  CONSTRAINT pk_profile_observations PRIMARY KEY (order_id, index_code, line),
  CONSTRAINT fk_profile_observations_series FOREIGN KEY (order_id, index_code)
    REFERENCES profile_series (order_id, index_code) ON DELETE CASCADE,
  CONSTRAINT ck_profile_observations_reason CHECK (reason IN ('', 'cloud', 'nodata', 'partial', 'error', 'too_few')),
  CONSTRAINT ck_profile_observations_counts CHECK (n_valid >= 0 AND n_polygon >= 0),
  CONSTRAINT ck_profile_observations_mean CHECK ((reason = '') = (mean IS NOT NULL))
);

INSERT INTO profile_series (order_id, index_code, synthetic, no_scl, small_field)
  SELECT r.order_id, r.index_code, r.synthetic, r.no_scl, r.small_field
  FROM profile_readings AS r JOIN profile_orders AS o ON o.id = r.order_id AND o.boundary_id = r.boundary_id;

INSERT INTO profile_observations (order_id, index_code, line, date, reason, coverage, n_valid, n_polygon, items, offsets, note,
  mean, median, std, min, max, p10, p90, fingerprint, no_scl, small_field, synthetic)
  SELECT r.order_id, r.index_code, d.line, d.date, d.reason, d.coverage, d.n_valid, d.n_polygon, d.items, d.offsets, d.note,
    d.mean, d.median, d.std, d.min, d.max, d.p10, d.p90, d.fingerprint, d.no_scl, d.small_field, d.synthetic
  FROM profile_dates AS d JOIN profile_readings AS r ON r.id = d.reading_id
    JOIN profile_orders AS o ON o.id = r.order_id AND o.boundary_id = r.boundary_id;

DROP TABLE profile_dates;

DROP TABLE profile_readings;

ALTER TABLE profile_orders DROP COLUMN last_date;

ALTER TABLE profile_orders DROP COLUMN first_date;

ALTER TABLE profile_orders DROP COLUMN points;

ALTER TABLE profile_orders DROP COLUMN boundary_id;
