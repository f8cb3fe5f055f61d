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

  CREATE INDEX IF NOT EXISTS ix_aois_search ON aois USING gin (name_folded gin_trgm_ops) WITH (gin_pending_list_limit = 512);
  CREATE INDEX IF NOT EXISTS ix_farms_search ON farms USING gin (name_folded gin_trgm_ops) WITH (gin_pending_list_limit = 512);
  CREATE INDEX IF NOT EXISTS ix_fertilizations_search ON fertilizations USING gin (product_name_folded gin_trgm_ops) WITH (gin_pending_list_limit = 512);
  CREATE INDEX IF NOT EXISTS ix_fields_search ON fields USING gin (name_folded gin_trgm_ops) WITH (gin_pending_list_limit = 512);
  CREATE INDEX IF NOT EXISTS ix_seasons_search ON seasons USING gin (name_folded gin_trgm_ops) WITH (gin_pending_list_limit = 512);
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

INSERT INTO search_marks (list, upto) VALUES ('aois', 0);
CREATE TRIGGER tr_aois_search_update AFTER UPDATE OF name_folded, company_id ON aois
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('aois', NEW.id);
  END;
CREATE TRIGGER tr_aois_search_delete AFTER DELETE ON aois
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('aois', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('farms', 0);
CREATE TRIGGER tr_farms_search_update AFTER UPDATE OF name_folded, company_id ON farms
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('farms', NEW.id);
  END;
CREATE TRIGGER tr_farms_search_delete AFTER DELETE ON farms
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('farms', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('fertilizations', 0);
CREATE TRIGGER tr_fertilizations_search_update AFTER UPDATE OF product_name_folded, company_id ON fertilizations
  WHEN OLD.product_name_folded IS NOT NEW.product_name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fertilizations', NEW.id);
  END;
CREATE TRIGGER tr_fertilizations_search_delete AFTER DELETE ON fertilizations
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fertilizations', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('fields', 0);
CREATE TRIGGER tr_fields_search_update AFTER UPDATE OF name_folded, company_id ON fields
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fields', NEW.id);
  END;
CREATE TRIGGER tr_fields_search_delete AFTER DELETE ON fields
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fields', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('seasons', 0);
CREATE TRIGGER tr_seasons_search_update AFTER UPDATE OF name_folded, company_id ON seasons
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('seasons', NEW.id);
  END;
CREATE TRIGGER tr_seasons_search_delete AFTER DELETE ON seasons
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('seasons', OLD.id);
  END;
{{end}}
