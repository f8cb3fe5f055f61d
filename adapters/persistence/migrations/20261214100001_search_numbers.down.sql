{{if .POSTGRES}}
{{else}}
DROP TRIGGER tr_aois_search_update;
CREATE TRIGGER tr_aois_search_update AFTER UPDATE OF name_folded, company_id ON aois
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('aois', NEW.id);
  END;
DROP TRIGGER tr_aois_search_delete;
CREATE TRIGGER tr_aois_search_delete AFTER DELETE ON aois
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('aois', OLD.id);
  END;
DROP TRIGGER tr_farms_search_update;
CREATE TRIGGER tr_farms_search_update AFTER UPDATE OF name_folded, company_id ON farms
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('farms', NEW.id);
  END;
DROP TRIGGER tr_farms_search_delete;
CREATE TRIGGER tr_farms_search_delete AFTER DELETE ON farms
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('farms', OLD.id);
  END;
DROP TRIGGER tr_fertilizations_search_update;
CREATE TRIGGER tr_fertilizations_search_update AFTER UPDATE OF product_name_folded, company_id ON fertilizations
  WHEN OLD.product_name_folded IS NOT NEW.product_name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fertilizations', NEW.id);
  END;
DROP TRIGGER tr_fertilizations_search_delete;
CREATE TRIGGER tr_fertilizations_search_delete AFTER DELETE ON fertilizations
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fertilizations', OLD.id);
  END;
DROP TRIGGER tr_fields_search_update;
CREATE TRIGGER tr_fields_search_update AFTER UPDATE OF name_folded, company_id ON fields
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fields', NEW.id);
  END;
DROP TRIGGER tr_fields_search_delete;
CREATE TRIGGER tr_fields_search_delete AFTER DELETE ON fields
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('fields', OLD.id);
  END;
DROP TRIGGER tr_seasons_search_update;
CREATE TRIGGER tr_seasons_search_update AFTER UPDATE OF name_folded, company_id ON seasons
  WHEN OLD.name_folded IS NOT NEW.name_folded OR OLD.company_id <> NEW.company_id
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('seasons', NEW.id);
  END;
DROP TRIGGER tr_seasons_search_delete;
CREATE TRIGGER tr_seasons_search_delete AFTER DELETE ON seasons
  BEGIN
    INSERT OR IGNORE INTO search_changes (list, id) VALUES ('seasons', OLD.id);
  END;
DELETE FROM search_changes WHERE list LIKE '%.numbers';
DELETE FROM search_marks WHERE list LIKE '%.numbers';
DROP TABLE search_numbers;
{{end}}
