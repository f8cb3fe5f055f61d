-- expand-only
-- Signed links that are printed on labels and field sheets: one row for each printing. The tokens are made of the secret
-- and are not stored. A link goes with its plan, where that is never saved.
CREATE TABLE plan_links (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  plan_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  round BIGINT NOT NULL,
  secret TEXT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  created_by BIGINT,
  expires_at {{.STAMP}} NOT NULL,
  revoked_at {{.STAMP}},
  CONSTRAINT fk_plan_links_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_plan_links_plan FOREIGN KEY (company_id, plan_id) REFERENCES stratification_plans (company_id, id) ON DELETE CASCADE,
  CONSTRAINT fk_plan_links_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_plan_links_kind CHECK (kind IN ('label', 'field_sheet'))
);
CREATE INDEX ix_plan_links_company ON plan_links (company_id, id);
CREATE INDEX ix_plan_links_plan ON plan_links (company_id, plan_id, id);
CREATE INDEX ix_plan_links_created_by ON plan_links (created_by);
