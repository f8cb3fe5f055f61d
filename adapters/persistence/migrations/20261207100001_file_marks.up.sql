-- expand-only
-- What proves that a process has the files of this database: the digest of a file that lies among them. At most one row.
CREATE TABLE file_marks (
  id BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  marked_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_file_marks PRIMARY KEY (id),
  CONSTRAINT ck_file_marks_id CHECK (id = 1)
);
