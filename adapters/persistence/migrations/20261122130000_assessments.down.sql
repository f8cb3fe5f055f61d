DROP TABLE assessment_states;
DROP TABLE assessment_rows;
DROP TABLE assessments;
