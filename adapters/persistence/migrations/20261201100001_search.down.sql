{{if .POSTGRES}}
DROP INDEX IF EXISTS ix_aois_search;
DROP INDEX IF EXISTS ix_farms_search;
DROP INDEX IF EXISTS ix_fertilizations_search;
DROP INDEX IF EXISTS ix_fields_search;
DROP INDEX IF EXISTS ix_seasons_search;
DROP FUNCTION make_search_indexes();
{{else}}
DROP TRIGGER tr_aois_search_update;
DROP TRIGGER tr_aois_search_delete;
DROP TRIGGER tr_farms_search_update;
DROP TRIGGER tr_farms_search_delete;
DROP TRIGGER tr_fertilizations_search_update;
DROP TRIGGER tr_fertilizations_search_delete;
DROP TRIGGER tr_fields_search_update;
DROP TRIGGER tr_fields_search_delete;
DROP TRIGGER tr_seasons_search_update;
DROP TRIGGER tr_seasons_search_delete;
DROP TABLE search_changes;
DROP TABLE search_marks;
DROP TABLE search_terms;
{{end}}
