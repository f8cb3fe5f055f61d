-- How far the crop verification of an assessment is, with its evidence.
CREATE TABLE assessment_verifications (
  assessment_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  version INTEGER NOT NULL,
  run INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  reason_text TEXT NOT NULL,
  confidence DOUBLE PRECISION NOT NULL,
  crop_type TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try_at {{.STAMP}},
  started_at {{.STAMP}} NOT NULL,
  decided_at {{.STAMP}},
  updated_at {{.STAMP}} NOT NULL,
  evidence {{.JSON}} NOT NULL,
  CONSTRAINT pk_assessment_verifications PRIMARY KEY (assessment_id),
  CONSTRAINT fk_assessment_verifications_assessment FOREIGN KEY (company_id, assessment_id) REFERENCES assessments (company_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_assessment_verifications_status CHECK (status IN ('pending', 'processing', 'verified', 'failed')),
  CONSTRAINT ck_assessment_verifications_confidence CHECK (confidence >= 0 AND confidence <= 1)
);
CREATE INDEX ix_assessment_verifications_company ON assessment_verifications (company_id, assessment_id);

-- What each live assessment has added to the sums, so that just that is taken away again.
-- year is 0 where the assessment states none. verified_at is set where its crop is verified.
CREATE TABLE assessment_contributions (
  assessment_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  year INTEGER NOT NULL,
  cells {{.JSON}} NOT NULL,
  figures {{.JSON}} NOT NULL,
  verified_at {{.STAMP}},
  CONSTRAINT pk_assessment_contributions PRIMARY KEY (assessment_id),
  CONSTRAINT fk_assessment_contributions_assessment FOREIGN KEY (company_id, assessment_id) REFERENCES assessments (company_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_assessment_contributions_company ON assessment_contributions (company_id, assessment_id);
CREATE INDEX ix_assessment_contributions_verified ON assessment_contributions (company_id, verified_at, assessment_id) WHERE verified_at IS NOT NULL;
CREATE INDEX ix_assessment_contributions_verified_year ON assessment_contributions (company_id, year, verified_at, assessment_id) WHERE verified_at IS NOT NULL;

-- The sums of the dashboard, by company and year. A sum is split into stripes, which add
-- up: writers of different assessments seldom meet in one.
CREATE TABLE assessment_sums (
  company_id BIGINT NOT NULL,
  year INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  stripe INTEGER NOT NULL,
  amount BIGINT NOT NULL,
  CONSTRAINT pk_assessment_sums PRIMARY KEY (company_id, year, kind, name, stripe),
  CONSTRAINT fk_assessment_sums_company FOREIGN KEY (company_id) REFERENCES companies (id)
){{if not .POSTGRES}} WITHOUT ROWID{{end}};

-- Assessments that were there before count from the next time their completeness is worked
-- out: the sweep takes up those that have none.
UPDATE assessments SET completeness_computed_at = NULL WHERE deleted_at IS NULL;
