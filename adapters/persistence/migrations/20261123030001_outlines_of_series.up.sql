-- A series belongs to an order, an index and an outline of the field, so that the series on an earlier outline stays
-- when it is made anew on another. Orders know their outline (0: not known) and the extent of their own series.
ALTER TABLE profile_orders ADD COLUMN boundary_id BIGINT NOT NULL DEFAULT 0;

ALTER TABLE profile_orders ADD COLUMN points INTEGER NOT NULL DEFAULT 0;

ALTER TABLE profile_orders ADD COLUMN first_date {{.DAY}};

ALTER TABLE profile_orders ADD COLUMN last_date {{.DAY}};

UPDATE profile_orders SET
  boundary_id = COALESCE((SELECT max(b.id) FROM field_boundaries AS b WHERE b.company_id = profile_orders.company_id
    AND b.field_id = profile_orders.field_id AND b.boundary = profile_orders.boundary), 0),
  points = (SELECT count(*) FROM profile_observations AS o
    WHERE o.order_id = profile_orders.id AND o.index_code = profile_orders.index_code AND o.reason = ''),
  first_date = (SELECT min(o.date) FROM profile_observations AS o
    WHERE o.order_id = profile_orders.id AND o.index_code = profile_orders.index_code AND o.reason = ''),
  last_date = (SELECT max(o.date) FROM profile_observations AS o
    WHERE o.order_id = profile_orders.id AND o.index_code = profile_orders.index_code AND o.reason = '');

CREATE TABLE profile_readings (
  id {{.ID}},
  order_id BIGINT NOT NULL,
  boundary_id BIGINT NOT NULL,
  index_code TEXT NOT NULL,
  synthetic BOOLEAN NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  CONSTRAINT fk_profile_readings_order FOREIGN KEY (order_id) REFERENCES profile_orders (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_profile_readings ON profile_readings (order_id, boundary_id, index_code);

-- A date of a series: an observation, or with a reason a rejected date, which has no statistics.
CREATE TABLE profile_dates (
  reading_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  date {{.DAY}} NOT NULL,
  reason TEXT NOT NULL,
  coverage DOUBLE PRECISION NOT NULL,
  n_valid INTEGER NOT NULL,
  n_polygon INTEGER NOT NULL,
  items {{.JSON}} NOT NULL,
  offsets {{.JSON}} NOT NULL,
  note TEXT NOT NULL,
  mean DOUBLE PRECISION,
  median DOUBLE PRECISION,
  std DOUBLE PRECISION,
  min DOUBLE PRECISION,
  max DOUBLE PRECISION,
  p10 DOUBLE PRECISION,
  p90 DOUBLE PRECISION,
  fingerprint TEXT NOT NULL,
  no_scl BOOLEAN NOT NULL,
  small_field BOOLEAN NOT NULL,
  synthetic BOOLEAN NOT NULL,
  CONSTRAINT pk_profile_dates PRIMARY KEY (reading_id, line),
  CONSTRAINT fk_profile_dates_reading FOREIGN KEY (reading_id) REFERENCES profile_readings (id) ON DELETE CASCADE,
  CONSTRAINT ck_profile_dates_reason CHECK (reason IN ('', 'cloud', 'nodata', 'partial', 'error', 'too_few')),
  CONSTRAINT ck_profile_dates_counts CHECK (n_valid >= 0 AND n_polygon >= 0),
  CONSTRAINT ck_profile_dates_mean CHECK ((reason = '') = (mean IS NOT NULL))
);

INSERT INTO profile_readings (order_id, boundary_id, index_code, synthetic, no_scl, small_field)
  SELECT s.order_id, o.boundary_id, s.index_code, s.synthetic, s.no_scl, s.small_field
  FROM profile_series AS s JOIN profile_orders AS o ON o.id = s.order_id;

INSERT INTO profile_dates (reading_id, line, date, reason, coverage, n_valid, n_polygon, items, offsets, note,
  mean, median, std, min, max, p10, p90, fingerprint, no_scl, small_field, synthetic)
  SELECT r.id, d.line, d.date, d.reason, d.coverage, d.n_valid, d.n_polygon, d.items, d.offsets, d.note,
    d.mean, d.median, d.std, d.min, d.max, d.p10, d.p90, d.fingerprint, d.no_scl, d.small_field, d.synthetic
  FROM profile_observations AS d JOIN profile_readings AS r ON r.order_id = d.order_id AND r.index_code = d.index_code;

DROP TABLE profile_observations;

DROP TABLE profile_series;
