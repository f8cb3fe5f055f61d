DROP TABLE plan_links;
