DROP TABLE replicas;
DROP TABLE rate_sums;
