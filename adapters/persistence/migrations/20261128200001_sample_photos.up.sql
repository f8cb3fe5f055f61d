-- expand-only
-- Photos that crews take of samples. Their bytes lie among the objects; a row is stored before the bytes are, and goes after
-- them, as those of assessment_evidence.
CREATE TABLE sample_photos (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  sample_id BIGINT NOT NULL,
  object TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  note TEXT NOT NULL,
  uploaded_at {{.STAMP}} NOT NULL,
  uploaded_by BIGINT NOT NULL,
  attached_at {{.STAMP}},
  removed_at {{.STAMP}},
  CONSTRAINT uq_sample_photos_object UNIQUE (object),
  CONSTRAINT fk_sample_photos_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_sample_photos_sample FOREIGN KEY (company_id, sample_id) REFERENCES soil_samples (company_id, id),
  CONSTRAINT fk_sample_photos_uploaded_by FOREIGN KEY (uploaded_by) REFERENCES users (id)
);
CREATE INDEX ix_sample_photos_sample ON sample_photos (company_id, sample_id, id);
CREATE UNIQUE INDEX uq_sample_photos_content ON sample_photos (sample_id, sha256) WHERE attached_at IS NOT NULL AND removed_at IS NULL;
CREATE INDEX ix_sample_photos_uploaded_by ON sample_photos (uploaded_by);
CREATE INDEX ix_sample_photos_begun ON sample_photos (uploaded_at) WHERE attached_at IS NULL AND removed_at IS NULL;
CREATE INDEX ix_sample_photos_removed ON sample_photos (removed_at) WHERE removed_at IS NOT NULL;
