-- A key outlives its revocation: the audit trail names it.
CREATE TABLE api_keys (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  user_id BIGINT NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL,
  slugs {{.JSON}} NOT NULL,
  expires_at {{.STAMP}},
  revoked_at {{.STAMP}},
  created_at {{.STAMP}} NOT NULL,
  CONSTRAINT uq_api_keys_hash UNIQUE (hash),
  CONSTRAINT fk_api_keys_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_api_keys_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT ck_api_keys_name CHECK (name <> '')
);
CREATE INDEX ix_api_keys_live ON api_keys (company_id, id) WHERE revoked_at IS NULL;
CREATE INDEX ix_api_keys_user ON api_keys (user_id);

-- user_id is null for the operator's command line. changes is a list of
-- {member, before, after}. There is no key on record_id: the trail outlives records.
CREATE TABLE audit_entries (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  user_id BIGINT,
  operator BOOLEAN NOT NULL,
  api_key_id BIGINT,
  action TEXT NOT NULL,
  resource TEXT NOT NULL,
  record_id BIGINT NOT NULL,
  changes {{.JSON}} NOT NULL,
  CONSTRAINT fk_audit_entries_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_audit_entries_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT fk_audit_entries_key FOREIGN KEY (api_key_id) REFERENCES api_keys (id),
  CONSTRAINT ck_audit_entries_words CHECK (action <> '' AND resource <> '')
);
CREATE INDEX ix_audit_entries_company ON audit_entries (company_id, id);
CREATE INDEX ix_audit_entries_record ON audit_entries (company_id, resource, record_id, id);
CREATE INDEX ix_audit_entries_user ON audit_entries (company_id, user_id, id);
CREATE INDEX ix_audit_entries_at ON audit_entries (company_id, at);

-- The trail is append-only.
{{if .POSTGRES}}
CREATE FUNCTION keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_audit_entries_append_only';
END
$body$;
CREATE TRIGGER tr_audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION keep_audit_entries();
{{else}}
CREATE TRIGGER tr_audit_entries_no_update BEFORE UPDATE ON audit_entries
  BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER tr_audit_entries_no_delete BEFORE DELETE ON audit_entries
  BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
{{end}}
