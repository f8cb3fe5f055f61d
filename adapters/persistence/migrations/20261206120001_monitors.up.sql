-- expand-only
-- Profiles that are watched through their season: the rules, and the alerts that they have raised.
CREATE TABLE profile_monitors (
  order_id BIGINT PRIMARY KEY,
  company_id BIGINT NOT NULL,
  rules {{.JSON}} NOT NULL,
  alerts {{.JSON}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT fk_profile_monitors_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_profile_monitors_order FOREIGN KEY (order_id) REFERENCES profile_orders (id)
);
