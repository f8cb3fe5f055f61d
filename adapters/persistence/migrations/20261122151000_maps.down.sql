DROP TABLE stratification_plans;
DROP TABLE stratification_maps;
DROP TABLE stratification_runs;
