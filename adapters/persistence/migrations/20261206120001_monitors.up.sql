-- expand-only
-- Profiles that are watched through their season: the rules, and the alerts that they have raised.
CREATE TABLE profile_monitors (
  id BIGINT PRIMARY KEY, -- of the order
  company_id BIGINT NOT NULL,
  rules {{.JSON}} NOT NULL,
  alerts {{.JSON}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  CONSTRAINT fk_profile_monitors_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_profile_monitors_order FOREIGN KEY (id) REFERENCES profile_orders (id)
);
CREATE INDEX ix_profile_monitors_company ON profile_monitors (company_id, id);
