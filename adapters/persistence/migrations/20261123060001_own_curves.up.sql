-- expand-only
-- Curves that companies make of their own labelled fields. Verdicts name them by id, so they stay when taken out of force.
CREATE TABLE own_curves (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  curves {{.JSON}} NOT NULL,
  figures {{.JSON}} NOT NULL,
  left_out {{.JSON}} NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  created_by BIGINT,
  deleted_at {{.STAMP}},
  CONSTRAINT fk_own_curves_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_own_curves_created_by FOREIGN KEY (created_by) REFERENCES users (id)
);
CREATE INDEX ix_own_curves_company ON own_curves (company_id, id);
