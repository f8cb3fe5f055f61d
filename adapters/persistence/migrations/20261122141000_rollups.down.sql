DROP TABLE assessment_sums;
DROP TABLE assessment_contributions;
DROP TABLE assessment_verifications;
