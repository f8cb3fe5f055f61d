-- expand-only
-- What the servers of one database share of certificates that they fetch. The content is sealed.
CREATE TABLE certificate_entries (
  name TEXT NOT NULL,
  content {{.BYTES}},
  holder TEXT,
  held_until {{.STAMP}},
  CONSTRAINT pk_certificate_entries PRIMARY KEY (name),
  CONSTRAINT ck_certificate_entries_lease CHECK ((holder IS NULL) = (held_until IS NULL))
);
