DROP TABLE shared_time;
