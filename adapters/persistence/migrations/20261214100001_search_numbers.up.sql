-- expand-only
-- On SQLite numbers of five digits and more have an index of their own: of each five digits in a row, where the lists of three letters
-- are long. It has marks and changes of its own, since the release before this one keeps those of the letters alone.
{{if .POSTGRES}}
{{else}}
CREATE VIRTUAL TABLE search_numbers USING fts5 (name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1');
INSERT INTO search_numbers (search_numbers, rank) VALUES ('automerge', 2);

INSERT INTO search_marks (list, upto) VALUES ('aois.numbers', 0);
DROP TRIGGER tr_aois_search_update;
CREATE TRIGGER tr_aois_search_update AFTER UPDATE OF name_folded, company_id ON aois
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('aois', NEW.id), ('aois.numbers', NEW.id);
  END;
DROP TRIGGER tr_aois_search_delete;
CREATE TRIGGER tr_aois_search_delete AFTER DELETE ON aois
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('aois', OLD.id), ('aois.numbers', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('farms.numbers', 0);
DROP TRIGGER tr_farms_search_update;
CREATE TRIGGER tr_farms_search_update AFTER UPDATE OF name_folded, company_id ON farms
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('farms', NEW.id), ('farms.numbers', NEW.id);
  END;
DROP TRIGGER tr_farms_search_delete;
CREATE TRIGGER tr_farms_search_delete AFTER DELETE ON farms
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('farms', OLD.id), ('farms.numbers', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('fertilizations.numbers', 0);
DROP TRIGGER tr_fertilizations_search_update;
CREATE TRIGGER tr_fertilizations_search_update AFTER UPDATE OF product_name_folded, company_id ON fertilizations
  WHEN OLD.product_name_folded IS NOT NEW.product_name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fertilizations', NEW.id), ('fertilizations.numbers', NEW.id);
  END;
DROP TRIGGER tr_fertilizations_search_delete;
CREATE TRIGGER tr_fertilizations_search_delete AFTER DELETE ON fertilizations
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fertilizations', OLD.id), ('fertilizations.numbers', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('fields.numbers', 0);
DROP TRIGGER tr_fields_search_update;
CREATE TRIGGER tr_fields_search_update AFTER UPDATE OF name_folded, company_id ON fields
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fields', NEW.id), ('fields.numbers', NEW.id);
  END;
DROP TRIGGER tr_fields_search_delete;
CREATE TRIGGER tr_fields_search_delete AFTER DELETE ON fields
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fields', OLD.id), ('fields.numbers', OLD.id);
  END;

INSERT INTO search_marks (list, upto) VALUES ('seasons.numbers', 0);
DROP TRIGGER tr_seasons_search_update;
CREATE TRIGGER tr_seasons_search_update AFTER UPDATE OF name_folded, company_id ON seasons
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('seasons', NEW.id), ('seasons.numbers', NEW.id);
  END;
DROP TRIGGER tr_seasons_search_delete;
CREATE TRIGGER tr_seasons_search_delete AFTER DELETE ON seasons
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('seasons', OLD.id), ('seasons.numbers', OLD.id);
  END;
{{end}}
