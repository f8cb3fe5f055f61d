ALTER TABLE assessment_versions DROP COLUMN evidence_digest;
ALTER TABLE assessment_versions DROP COLUMN evidence;
DROP TABLE assessment_version_evidence;
{{if .POSTGRES}}
DROP FUNCTION keep_assessment_version_evidence();
{{end}}
DROP TABLE assessment_evidence;
