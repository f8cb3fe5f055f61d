DROP TABLE profile_monitors;
