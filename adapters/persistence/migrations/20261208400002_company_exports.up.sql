-- expand-only
-- Exports of companies that their people asked for. The file lies in the store of files for a while.
CREATE TABLE company_exports (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_by BIGINT NOT NULL,
  operator BOOLEAN NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  object TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  records BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  CONSTRAINT fk_company_exports_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_company_exports_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_company_exports_status CHECK (status IN ('queued', 'running', 'completed', 'failed'))
);
CREATE INDEX ix_company_exports_company ON company_exports (company_id, id);
CREATE INDEX ix_company_exports_updated_at ON company_exports (updated_at);
