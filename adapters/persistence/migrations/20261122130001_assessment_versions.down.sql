DROP TABLE assessment_engine_references;
DROP TABLE assessment_versions;
{{if .POSTGRES}}
DROP FUNCTION keep_assessment_versions();
{{end}}
