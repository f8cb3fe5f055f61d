ALTER TABLE operator_entries DROP COLUMN user_id;
