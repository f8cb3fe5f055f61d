DROP TABLE certificate_entries;
