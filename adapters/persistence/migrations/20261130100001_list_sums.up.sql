-- expand-only
-- How many live records a company has, in all (key '') and of each value of a reference that lists are filtered by, so that
-- a list says its length without counting. Triggers keep the sums, so that a release that does not know them keeps them too.
-- SQLite, with one writer, adds to the folded sum at once. On PostgreSQL writers of one company do not wait for each other:
-- each adds a row of its own change, and the folder adds those up.
CREATE TABLE list_sums (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  list TEXT NOT NULL,
  key TEXT NOT NULL,
  value BIGINT NOT NULL,
  folded BOOLEAN NOT NULL,
  n BIGINT NOT NULL
);
CREATE UNIQUE INDEX uq_list_sums_folded ON list_sums (company_id, list, key, value) WHERE folded;
CREATE INDEX ix_list_sums_changes ON list_sums (company_id, list, key, value) WHERE NOT folded;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'assessments', '', 0, TRUE, count(*) FROM assessments WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'assessments', 'created_by', created_by, TRUE, count(*) FROM assessments WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

{{if .POSTGRES}}
CREATE FUNCTION sum_assessments() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'assessments', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by)) AS k (key, value)
      WHERE t.deleted_at IS NULL AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'assessments', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'assessments', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_assessments_sum_insert AFTER INSERT ON assessments REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_assessments();
CREATE TRIGGER tr_assessments_sum_update AFTER UPDATE ON assessments FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by)
  EXECUTE FUNCTION sum_assessments();
CREATE TRIGGER tr_assessments_sum_delete AFTER DELETE ON assessments FOR EACH ROW EXECUTE FUNCTION sum_assessments();

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', '', 0, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'created_by', created_by, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'crop_id', crop_id, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND crop_id IS NOT NULL GROUP BY company_id, crop_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'field_id', field_id, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND field_id IS NOT NULL GROUP BY company_id, field_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'season_id', season_id, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND season_id IS NOT NULL GROUP BY company_id, season_id;

CREATE FUNCTION sum_cultivations() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'cultivations', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by), ('crop_id', t.crop_id), ('field_id', t.field_id), ('season_id', t.season_id)) AS k (key, value)
      WHERE t.deleted_at IS NULL AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'cultivations', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by), ('crop_id', OLD.crop_id), ('field_id', OLD.field_id), ('season_id', OLD.season_id)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'cultivations', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by), ('crop_id', NEW.crop_id), ('field_id', NEW.field_id), ('season_id', NEW.season_id)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_cultivations_sum_insert AFTER INSERT ON cultivations REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_cultivations();
CREATE TRIGGER tr_cultivations_sum_update AFTER UPDATE ON cultivations FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by OR OLD.crop_id IS DISTINCT FROM NEW.crop_id OR OLD.field_id IS DISTINCT FROM NEW.field_id OR OLD.season_id IS DISTINCT FROM NEW.season_id)
  EXECUTE FUNCTION sum_cultivations();
CREATE TRIGGER tr_cultivations_sum_delete AFTER DELETE ON cultivations FOR EACH ROW EXECUTE FUNCTION sum_cultivations();

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'farms', '', 0, TRUE, count(*) FROM farms WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'farms', 'created_by', created_by, TRUE, count(*) FROM farms WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

CREATE FUNCTION sum_farms() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'farms', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by)) AS k (key, value)
      WHERE t.deleted_at IS NULL AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'farms', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'farms', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_farms_sum_insert AFTER INSERT ON farms REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_farms();
CREATE TRIGGER tr_farms_sum_update AFTER UPDATE ON farms FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by)
  EXECUTE FUNCTION sum_farms();
CREATE TRIGGER tr_farms_sum_delete AFTER DELETE ON farms FOR EACH ROW EXECUTE FUNCTION sum_farms();

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fertilizations', '', 0, TRUE, count(*) FROM fertilizations WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fertilizations', 'created_by', created_by, TRUE, count(*) FROM fertilizations WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

CREATE FUNCTION sum_fertilizations() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'fertilizations', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by)) AS k (key, value)
      WHERE t.deleted_at IS NULL AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'fertilizations', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'fertilizations', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_fertilizations_sum_insert AFTER INSERT ON fertilizations REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_fertilizations();
CREATE TRIGGER tr_fertilizations_sum_update AFTER UPDATE ON fertilizations FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by)
  EXECUTE FUNCTION sum_fertilizations();
CREATE TRIGGER tr_fertilizations_sum_delete AFTER DELETE ON fertilizations FOR EACH ROW EXECUTE FUNCTION sum_fertilizations();

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fields', '', 0, TRUE, count(*) FROM fields WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fields', 'created_by', created_by, TRUE, count(*) FROM fields WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fields', 'farm_id', farm_id, TRUE, count(*) FROM fields WHERE deleted_at IS NULL AND farm_id IS NOT NULL GROUP BY company_id, farm_id;

CREATE FUNCTION sum_fields() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'fields', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by), ('farm_id', t.farm_id)) AS k (key, value)
      WHERE t.deleted_at IS NULL AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'fields', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by), ('farm_id', OLD.farm_id)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'fields', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by), ('farm_id', NEW.farm_id)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_fields_sum_insert AFTER INSERT ON fields REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_fields();
CREATE TRIGGER tr_fields_sum_update AFTER UPDATE ON fields FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by OR OLD.farm_id IS DISTINCT FROM NEW.farm_id)
  EXECUTE FUNCTION sum_fields();
CREATE TRIGGER tr_fields_sum_delete AFTER DELETE ON fields FOR EACH ROW EXECUTE FUNCTION sum_fields();

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'profile_orders', '', 0, TRUE, count(*) FROM profile_orders WHERE TRUE GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'profile_orders', 'created_by', created_by, TRUE, count(*) FROM profile_orders WHERE TRUE AND created_by IS NOT NULL GROUP BY company_id, created_by;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'profile_orders', 'season_id', season_id, TRUE, count(*) FROM profile_orders WHERE TRUE AND season_id IS NOT NULL GROUP BY company_id, season_id;

CREATE FUNCTION sum_profile_orders() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'profile_orders', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by), ('season_id', t.season_id)) AS k (key, value)
      WHERE TRUE AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF TRUE THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'profile_orders', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by), ('season_id', OLD.season_id)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND TRUE THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'profile_orders', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by), ('season_id', NEW.season_id)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_profile_orders_sum_insert AFTER INSERT ON profile_orders REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_profile_orders();
CREATE TRIGGER tr_profile_orders_sum_update AFTER UPDATE ON profile_orders FOR EACH ROW
  WHEN (FALSE OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by OR OLD.season_id IS DISTINCT FROM NEW.season_id)
  EXECUTE FUNCTION sum_profile_orders();
CREATE TRIGGER tr_profile_orders_sum_delete AFTER DELETE ON profile_orders FOR EACH ROW EXECUTE FUNCTION sum_profile_orders();

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'seasons', '', 0, TRUE, count(*) FROM seasons WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'seasons', 'created_by', created_by, TRUE, count(*) FROM seasons WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

CREATE FUNCTION sum_seasons() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, 'seasons', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT), ('created_by', t.created_by)) AS k (key, value)
      WHERE t.deleted_at IS NULL AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, 'seasons', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT), ('created_by', OLD.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, 'seasons', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT), ('created_by', NEW.created_by)) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_seasons_sum_insert AFTER INSERT ON seasons REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_seasons();
CREATE TRIGGER tr_seasons_sum_update AFTER UPDATE ON seasons FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS DISTINCT FROM NEW.created_by)
  EXECUTE FUNCTION sum_seasons();
CREATE TRIGGER tr_seasons_sum_delete AFTER DELETE ON seasons FOR EACH ROW EXECUTE FUNCTION sum_seasons();
{{else}}
CREATE TRIGGER tr_assessments_sum_insert AFTER INSERT ON assessments WHEN NEW.deleted_at IS NULL
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'assessments', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'assessments', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_assessments_sum_delete AFTER DELETE ON assessments WHEN OLD.deleted_at IS NULL
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'assessments'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
  END;
CREATE TRIGGER tr_assessments_sum_update AFTER UPDATE ON assessments
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE OLD.deleted_at IS NULL AND folded AND company_id = OLD.company_id AND list = 'assessments'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'assessments', '', 0, TRUE, 1 WHERE NEW.deleted_at IS NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'assessments', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', '', 0, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'created_by', created_by, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'crop_id', crop_id, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND crop_id IS NOT NULL GROUP BY company_id, crop_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'field_id', field_id, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND field_id IS NOT NULL GROUP BY company_id, field_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'cultivations', 'season_id', season_id, TRUE, count(*) FROM cultivations WHERE deleted_at IS NULL AND season_id IS NOT NULL GROUP BY company_id, season_id;

CREATE TRIGGER tr_cultivations_sum_insert AFTER INSERT ON cultivations WHEN NEW.deleted_at IS NULL
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'cultivations', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'crop_id', NEW.crop_id, TRUE, 1 WHERE NEW.crop_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'field_id', NEW.field_id, TRUE, 1 WHERE NEW.field_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'season_id', NEW.season_id, TRUE, 1 WHERE NEW.season_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_cultivations_sum_delete AFTER DELETE ON cultivations WHEN OLD.deleted_at IS NULL
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'cultivations'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by OR key = 'crop_id' AND value = OLD.crop_id OR key = 'field_id' AND value = OLD.field_id OR key = 'season_id' AND value = OLD.season_id);
  END;
CREATE TRIGGER tr_cultivations_sum_update AFTER UPDATE ON cultivations
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by OR OLD.crop_id IS NOT NEW.crop_id OR OLD.field_id IS NOT NEW.field_id OR OLD.season_id IS NOT NEW.season_id
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE OLD.deleted_at IS NULL AND folded AND company_id = OLD.company_id AND list = 'cultivations'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by OR key = 'crop_id' AND value = OLD.crop_id OR key = 'field_id' AND value = OLD.field_id OR key = 'season_id' AND value = OLD.season_id);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', '', 0, TRUE, 1 WHERE NEW.deleted_at IS NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'crop_id', NEW.crop_id, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.crop_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'field_id', NEW.field_id, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.field_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'cultivations', 'season_id', NEW.season_id, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.season_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'farms', '', 0, TRUE, count(*) FROM farms WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'farms', 'created_by', created_by, TRUE, count(*) FROM farms WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

CREATE TRIGGER tr_farms_sum_insert AFTER INSERT ON farms WHEN NEW.deleted_at IS NULL
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'farms', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'farms', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_farms_sum_delete AFTER DELETE ON farms WHEN OLD.deleted_at IS NULL
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'farms'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
  END;
CREATE TRIGGER tr_farms_sum_update AFTER UPDATE ON farms
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE OLD.deleted_at IS NULL AND folded AND company_id = OLD.company_id AND list = 'farms'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'farms', '', 0, TRUE, 1 WHERE NEW.deleted_at IS NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'farms', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fertilizations', '', 0, TRUE, count(*) FROM fertilizations WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fertilizations', 'created_by', created_by, TRUE, count(*) FROM fertilizations WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

CREATE TRIGGER tr_fertilizations_sum_insert AFTER INSERT ON fertilizations WHEN NEW.deleted_at IS NULL
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'fertilizations', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fertilizations', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_fertilizations_sum_delete AFTER DELETE ON fertilizations WHEN OLD.deleted_at IS NULL
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'fertilizations'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
  END;
CREATE TRIGGER tr_fertilizations_sum_update AFTER UPDATE ON fertilizations
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE OLD.deleted_at IS NULL AND folded AND company_id = OLD.company_id AND list = 'fertilizations'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fertilizations', '', 0, TRUE, 1 WHERE NEW.deleted_at IS NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fertilizations', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fields', '', 0, TRUE, count(*) FROM fields WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fields', 'created_by', created_by, TRUE, count(*) FROM fields WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'fields', 'farm_id', farm_id, TRUE, count(*) FROM fields WHERE deleted_at IS NULL AND farm_id IS NOT NULL GROUP BY company_id, farm_id;

CREATE TRIGGER tr_fields_sum_insert AFTER INSERT ON fields WHEN NEW.deleted_at IS NULL
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'fields', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fields', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fields', 'farm_id', NEW.farm_id, TRUE, 1 WHERE NEW.farm_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_fields_sum_delete AFTER DELETE ON fields WHEN OLD.deleted_at IS NULL
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'fields'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by OR key = 'farm_id' AND value = OLD.farm_id);
  END;
CREATE TRIGGER tr_fields_sum_update AFTER UPDATE ON fields
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by OR OLD.farm_id IS NOT NEW.farm_id
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE OLD.deleted_at IS NULL AND folded AND company_id = OLD.company_id AND list = 'fields'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by OR key = 'farm_id' AND value = OLD.farm_id);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fields', '', 0, TRUE, 1 WHERE NEW.deleted_at IS NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fields', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'fields', 'farm_id', NEW.farm_id, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.farm_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'profile_orders', '', 0, TRUE, count(*) FROM profile_orders WHERE TRUE GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'profile_orders', 'created_by', created_by, TRUE, count(*) FROM profile_orders WHERE TRUE AND created_by IS NOT NULL GROUP BY company_id, created_by;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'profile_orders', 'season_id', season_id, TRUE, count(*) FROM profile_orders WHERE TRUE AND season_id IS NOT NULL GROUP BY company_id, season_id;

CREATE TRIGGER tr_profile_orders_sum_insert AFTER INSERT ON profile_orders WHEN TRUE
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'profile_orders', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'profile_orders', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'profile_orders', 'season_id', NEW.season_id, TRUE, 1 WHERE NEW.season_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_profile_orders_sum_delete AFTER DELETE ON profile_orders WHEN TRUE
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'profile_orders'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by OR key = 'season_id' AND value = OLD.season_id);
  END;
CREATE TRIGGER tr_profile_orders_sum_update AFTER UPDATE ON profile_orders
  WHEN FALSE OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by OR OLD.season_id IS NOT NEW.season_id
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE TRUE AND folded AND company_id = OLD.company_id AND list = 'profile_orders'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by OR key = 'season_id' AND value = OLD.season_id);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'profile_orders', '', 0, TRUE, 1 WHERE TRUE ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'profile_orders', 'created_by', NEW.created_by, TRUE, 1 WHERE TRUE AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'profile_orders', 'season_id', NEW.season_id, TRUE, 1 WHERE TRUE AND NEW.season_id IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;

INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'seasons', '', 0, TRUE, count(*) FROM seasons WHERE deleted_at IS NULL GROUP BY company_id;
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, 'seasons', 'created_by', created_by, TRUE, count(*) FROM seasons WHERE deleted_at IS NULL AND created_by IS NOT NULL GROUP BY company_id, created_by;

CREATE TRIGGER tr_seasons_sum_insert AFTER INSERT ON seasons WHEN NEW.deleted_at IS NULL
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, 'seasons', '', 0, TRUE, 1) ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'seasons', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
CREATE TRIGGER tr_seasons_sum_delete AFTER DELETE ON seasons WHEN OLD.deleted_at IS NULL
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = 'seasons'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
  END;
CREATE TRIGGER tr_seasons_sum_update AFTER UPDATE ON seasons
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.company_id <> NEW.company_id OR OLD.created_by IS NOT NEW.created_by
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE OLD.deleted_at IS NULL AND folded AND company_id = OLD.company_id AND list = 'seasons'
      AND (key = '' AND value = 0 OR key = 'created_by' AND value = OLD.created_by);
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'seasons', '', 0, TRUE, 1 WHERE NEW.deleted_at IS NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, 'seasons', 'created_by', NEW.created_by, TRUE, 1 WHERE NEW.deleted_at IS NULL AND NEW.created_by IS NOT NULL ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n;
  END;
{{end}}
