ALTER TABLE stratification_runs DROP COLUMN api_key_id;
ALTER TABLE stratification_runs DROP COLUMN operator;
