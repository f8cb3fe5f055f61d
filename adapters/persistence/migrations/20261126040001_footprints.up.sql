-- expand-only
-- Footprints that companies publish: documents of PACT, which never change but for their end.
CREATE TABLE footprints (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  uuid TEXT NOT NULL,
  assessment_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  document TEXT NOT NULL,
  valid_from {{.STAMP}} NOT NULL,
  valid_until {{.STAMP}} NOT NULL,
  published_at {{.STAMP}} NOT NULL,
  published_by BIGINT,
  deprecated_at {{.STAMP}},
  CONSTRAINT uq_footprints_uuid UNIQUE (company_id, uuid),
  CONSTRAINT fk_footprints_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_footprints_version FOREIGN KEY (assessment_id, number) REFERENCES assessment_versions (assessment_id, number),
  CONSTRAINT fk_footprints_published_by FOREIGN KEY (published_by) REFERENCES users (id)
);
CREATE INDEX ix_footprints_company ON footprints (company_id, id);
CREATE INDEX ix_footprints_active ON footprints (company_id, id) WHERE deprecated_at IS NULL;
CREATE INDEX ix_footprints_valid_from ON footprints (company_id, valid_from);
CREATE INDEX ix_footprints_valid_until ON footprints (company_id, valid_until);
CREATE INDEX ix_footprints_assessment ON footprints (company_id, assessment_id, id);
CREATE INDEX ix_footprints_published_by ON footprints (published_by);

-- The identifiers of footprints, in lower case, as they are filtered by.
CREATE TABLE footprint_keys (
  footprint_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  CONSTRAINT pk_footprint_keys PRIMARY KEY (footprint_id, kind, value),
  CONSTRAINT fk_footprint_keys_footprint FOREIGN KEY (footprint_id) REFERENCES footprints (id),
  CONSTRAINT fk_footprint_keys_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
CREATE INDEX ix_footprint_keys_value ON footprint_keys (company_id, kind, value, footprint_id);

-- Data recipients, with the credentials they call with and those they are called with.
CREATE TABLE pact_clients (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  name TEXT NOT NULL,
  client_id TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  generation INTEGER NOT NULL,
  events_url TEXT NOT NULL,
  token_url TEXT NOT NULL,
  recipient_id TEXT NOT NULL,
  recipient_secret TEXT NOT NULL,
  CONSTRAINT uq_pact_clients_client_id UNIQUE (client_id),
  CONSTRAINT fk_pact_clients_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_pact_clients_creator FOREIGN KEY (created_by) REFERENCES users (id)
);
CREATE INDEX ix_pact_clients_updated_at ON pact_clients (company_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_pact_clients_created_by ON pact_clients (company_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_pact_clients_live ON pact_clients (company_id, id) WHERE deleted_at IS NULL;

-- Events from data recipients, and those that are sent to them.
CREATE TABLE pact_messages (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  client_id BIGINT NOT NULL,
  incoming BOOLEAN NOT NULL,
  source TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  began_at {{.STAMP}},
  next_try_at {{.STAMP}},
  tried_at {{.STAMP}},
  status_code INTEGER NOT NULL,
  error TEXT NOT NULL,
  CONSTRAINT uq_pact_messages_event UNIQUE (client_id, incoming, source, event_id),
  CONSTRAINT fk_pact_messages_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_pact_messages_client FOREIGN KEY (client_id) REFERENCES pact_clients (id),
  CONSTRAINT ck_pact_messages_state CHECK (state IN ('received', 'pending', 'delivered', 'failed')),
  CONSTRAINT ck_pact_messages_next CHECK ((state = 'pending') = (next_try_at IS NOT NULL))
);
CREATE INDEX ix_pact_messages_due ON pact_messages (client_id, next_try_at, id) WHERE state = 'pending';
CREATE INDEX ix_pact_messages_client ON pact_messages (client_id, id);
CREATE INDEX ix_pact_messages_over ON pact_messages (created_at) WHERE state <> 'pending';

-- What was published is never changed but for its end, and never removed.
{{if .POSTGRES}}
CREATE FUNCTION keep_footprints() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.deprecated_at IS NULL
    AND to_jsonb(OLD) - 'deprecated_at' = to_jsonb(NEW) - 'deprecated_at' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'footprints never change' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ck_footprints_append_only';
END
$body$;
CREATE TRIGGER tr_footprints_append_only BEFORE UPDATE OR DELETE ON footprints
  FOR EACH ROW EXECUTE FUNCTION keep_footprints();
{{else}}
CREATE TRIGGER tr_footprints_no_update BEFORE UPDATE ON footprints
  WHEN OLD.deprecated_at IS NOT NULL OR NEW.document <> OLD.document OR NEW.uuid <> OLD.uuid OR NEW.company_id <> OLD.company_id
    OR NEW.assessment_id <> OLD.assessment_id OR NEW.number <> OLD.number OR NEW.published_at <> OLD.published_at
    OR NEW.valid_from <> OLD.valid_from OR NEW.valid_until <> OLD.valid_until OR NEW.published_by IS NOT OLD.published_by
  BEGIN SELECT RAISE(ABORT, 'footprints never change'); END;
CREATE TRIGGER tr_footprints_no_delete BEFORE DELETE ON footprints
  BEGIN SELECT RAISE(ABORT, 'footprints never change'); END;
{{end}}
