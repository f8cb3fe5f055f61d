DROP TABLE pact_messages;
DROP TABLE pact_clients;
DROP TABLE footprint_keys;
DROP TABLE footprints;
{{if .POSTGRES}}
DROP FUNCTION keep_footprints();
{{end}}
