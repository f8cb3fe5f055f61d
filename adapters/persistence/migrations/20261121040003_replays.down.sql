DROP TABLE replays;
