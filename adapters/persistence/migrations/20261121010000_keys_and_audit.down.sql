DROP TABLE audit_entries;
{{if .POSTGRES}}
DROP FUNCTION keep_audit_entries();
{{end}}
DROP TABLE api_keys;
