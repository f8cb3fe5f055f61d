{{range $table, $index := .SEARCHED}}
{{if $.POSTGRES}}
DROP INDEX IF EXISTS ix_{{$table}}_search;
{{else}}
DROP TRIGGER tr_{{$table}}_search_update;
DROP TRIGGER tr_{{$table}}_search_delete;
{{end}}
{{end}}
{{if .POSTGRES}}
DROP FUNCTION make_search_indexes();
{{else}}
DROP TABLE search_changes;
DROP TABLE search_marks;
DROP TABLE search_terms;
{{end}}
