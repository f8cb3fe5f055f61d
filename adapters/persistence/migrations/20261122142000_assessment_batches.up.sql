-- Many assessments at once, in the background: imports, copies, submissions. What was
-- stored, and how far the batch is, change in one transaction.
CREATE TABLE assessment_batches (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_by BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  kind TEXT NOT NULL,
  options {{.JSON}} NOT NULL,
  object TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  checking BOOLEAN NOT NULL,
  total BIGINT NOT NULL,
  done BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  tally {{.JSON}} NOT NULL,
  CONSTRAINT uq_assessment_batches_company UNIQUE (company_id, id),
  CONSTRAINT fk_assessment_batches_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_assessment_batches_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_assessment_batches_kind CHECK (kind IN ('import', 'copy_forward', 'submit')),
  CONSTRAINT ck_assessment_batches_status CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  CONSTRAINT ck_assessment_batches_done CHECK (done >= 0)
);

-- The first rows or assessments of a batch that were refused or passed over, and why.
CREATE TABLE assessment_batch_notes (
  batch_id BIGINT NOT NULL,
  place BIGINT NOT NULL,
  judged {{.JSON}} NOT NULL,
  CONSTRAINT pk_assessment_batch_notes PRIMARY KEY (batch_id, place),
  CONSTRAINT fk_assessment_batch_notes_batch FOREIGN KEY (batch_id) REFERENCES assessment_batches (id) ON DELETE CASCADE
);

-- What many assessments are chosen by.
CREATE INDEX ix_assessments_climate ON assessments (company_id, climate_region, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assessments_country ON assessments (company_id, farm_country, id) WHERE deleted_at IS NULL;
