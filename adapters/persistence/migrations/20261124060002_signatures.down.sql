DROP TABLE assessment_signatures;
{{if .POSTGRES}}
DROP FUNCTION keep_assessment_signatures();
{{end}}
