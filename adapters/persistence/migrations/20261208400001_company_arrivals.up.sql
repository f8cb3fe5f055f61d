-- expand-only
-- Imports of companies that have begun and not ended: the bytes of their files lie in a folder of that name, and are removed
-- where an import was killed.
CREATE TABLE company_arrivals (
  name TEXT NOT NULL,
  begun_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_company_arrivals PRIMARY KEY (name)
);
