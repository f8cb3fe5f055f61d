-- expand-only
-- Names are searched by the three letters in a row that they have. On PostgreSQL that is pg_trgm, an extension which may not
-- be there or not be allowed: then there is no index, and names are searched one by one. Whoever may make extensions makes the
-- indexes by SELECT make_search_indexes().
-- On SQLite it is FTS5. A row of it costs a writer more than the record does, one at a time, so that a folder of the server
-- writes many at once: the mark is the last id of a table that the index has, and what changes below it is kept until then.
{{if .POSTGRES}}
CREATE FUNCTION make_search_indexes() RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  {{range $table, $index := .SEARCHED}}
  CREATE INDEX IF NOT EXISTS ix_{{$table}}_search ON {{$table}} USING gin ({{$index.Column}} gin_trgm_ops) WITH (gin_pending_list_limit = 512);
  {{end}}
END
$body$;
DO $body$
BEGIN
  PERFORM make_search_indexes();
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'lists are searched without an index: %', SQLERRM;
END
$body$;
{{else}}
CREATE VIRTUAL TABLE search_terms USING fts5 (scope, name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1');
INSERT INTO search_terms (search_terms, rank) VALUES ('automerge', 2);
CREATE TABLE search_marks (list TEXT PRIMARY KEY, upto BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE search_changes (list TEXT NOT NULL, id BIGINT NOT NULL, PRIMARY KEY (list, id)) WITHOUT ROWID;
{{range $table, $index := .SEARCHED}}
INSERT INTO search_marks (list, upto) VALUES ('{{$table}}', 0);
CREATE TRIGGER tr_{{$table}}_search_update AFTER UPDATE OF {{$index.Column}}, company_id ON {{$table}}
  WHEN OLD.{{$index.Column}} IS NOT NEW.{{$index.Column}} OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('{{$table}}', NEW.id);
  END;
CREATE TRIGGER tr_{{$table}}_search_delete AFTER DELETE ON {{$table}}
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('{{$table}}', OLD.id);
  END;
{{end}}
{{end}}
