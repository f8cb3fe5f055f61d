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

{{- define "add" -}}
ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n
{{- end}}
{{$postgres := .POSTGRES}}
{{range $table, $keys := .SUMS}}
{{- $here := "deleted_at IS NULL"}}{{$row := "t.deleted_at IS NULL"}}{{$was := "OLD.deleted_at IS NULL"}}{{$is := "NEW.deleted_at IS NULL"}}
{{- $turns := "(OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)"}}
{{- if eq $table "profile_orders"}}{{/* which are never deleted and kept */}}
{{- $here = "TRUE"}}{{$row = "TRUE"}}{{$was = "TRUE"}}{{$is = "TRUE"}}{{$turns = "FALSE"}}
{{- end}}
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, '{{$table}}', '', 0, TRUE, count(*) FROM {{$table}} WHERE {{$here}} GROUP BY company_id;
{{range $keys -}}
INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, '{{$table}}', '{{.}}', {{.}}, TRUE, count(*) FROM {{$table}} WHERE {{$here}} AND {{.}} IS NOT NULL GROUP BY company_id, {{.}};
{{end}}
{{if $postgres}}
CREATE FUNCTION sum_{{$table}}() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT t.company_id, '{{$table}}', k.key, k.value, FALSE, count(*)
      FROM new_rows AS t, LATERAL (VALUES ('', 0::BIGINT){{range $keys}}, ('{{.}}', t.{{.}}){{end}}) AS k (key, value)
      WHERE {{$row}} AND k.value IS NOT NULL GROUP BY t.company_id, k.key, k.value;
    RETURN NULL;
  END IF;
  IF {{$was}} THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT OLD.company_id, '{{$table}}', k.key, k.value, FALSE, -1
      FROM (VALUES ('', 0::BIGINT){{range $keys}}, ('{{.}}', OLD.{{.}}){{end}}) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND {{$is}} THEN
    INSERT INTO list_sums (company_id, list, key, value, folded, n)
      SELECT NEW.company_id, '{{$table}}', k.key, k.value, FALSE, 1
      FROM (VALUES ('', 0::BIGINT){{range $keys}}, ('{{.}}', NEW.{{.}}){{end}}) AS k (key, value) WHERE k.value IS NOT NULL;
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_{{$table}}_sum_insert AFTER INSERT ON {{$table}} REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION sum_{{$table}}();
CREATE TRIGGER tr_{{$table}}_sum_update AFTER UPDATE ON {{$table}} FOR EACH ROW
  WHEN ({{$turns}} OR OLD.company_id <> NEW.company_id
    {{- range $keys}} OR OLD.{{.}} IS DISTINCT FROM NEW.{{.}}{{end}})
  EXECUTE FUNCTION sum_{{$table}}();
CREATE TRIGGER tr_{{$table}}_sum_delete AFTER DELETE ON {{$table}} FOR EACH ROW EXECUTE FUNCTION sum_{{$table}}();
{{else}}
CREATE TRIGGER tr_{{$table}}_sum_insert AFTER INSERT ON {{$table}} WHEN {{$is}}
  BEGIN
    INSERT INTO list_sums (company_id, list, key, value, folded, n) VALUES (NEW.company_id, '{{$table}}', '', 0, TRUE, 1) {{template "add"}};
    {{- range $keys}}
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, '{{$table}}', '{{.}}', NEW.{{.}}, TRUE, 1 WHERE NEW.{{.}} IS NOT NULL {{template "add"}};
    {{- end}}
  END;
CREATE TRIGGER tr_{{$table}}_sum_delete AFTER DELETE ON {{$table}} WHEN {{$was}}
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE folded AND company_id = OLD.company_id AND list = '{{$table}}'
      AND (key = '' AND value = 0{{range $keys}} OR key = '{{.}}' AND value = OLD.{{.}}{{end}});
  END;
CREATE TRIGGER tr_{{$table}}_sum_update AFTER UPDATE ON {{$table}}
  WHEN {{$turns}} OR OLD.company_id <> NEW.company_id
    {{- range $keys}} OR OLD.{{.}} IS NOT NEW.{{.}}{{end}}
  BEGIN
    UPDATE list_sums SET n = n - 1 WHERE {{$was}} AND folded AND company_id = OLD.company_id AND list = '{{$table}}'
      AND (key = '' AND value = 0{{range $keys}} OR key = '{{.}}' AND value = OLD.{{.}}{{end}});
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, '{{$table}}', '', 0, TRUE, 1 WHERE {{$is}} {{template "add"}};
    {{- range $keys}}
    INSERT INTO list_sums (company_id, list, key, value, folded, n) SELECT NEW.company_id, '{{$table}}', '{{.}}', NEW.{{.}}, TRUE, 1 WHERE {{$is}} AND NEW.{{.}} IS NOT NULL {{template "add"}};
    {{- end}}
  END;
{{end}}
{{end}}
