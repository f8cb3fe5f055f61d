-- Which operator made a change of the installation over HTTP; null: the command line did. It is part of what is chained, so
-- that an older server, which would leave it out, must not run beside a newer one.
ALTER TABLE operator_entries ADD COLUMN user_id BIGINT;
