CREATE INDEX ix_users_company_id ON users (company_id, id);

CREATE TABLE invitations (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  created_by BIGINT,
  expires_at {{.STAMP}} NOT NULL,
  accepted_at {{.STAMP}},
  revoked_at {{.STAMP}},
  CONSTRAINT uq_invitations_company UNIQUE (company_id, id),
  CONSTRAINT fk_invitations_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_invitations_created_by FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_invitations_email CHECK (email <> '' AND email = lower(email)),
  CONSTRAINT ck_invitations_end CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE INDEX ix_invitations_email ON invitations (company_id, email, id);

CREATE TABLE invitation_roles (
  invitation_id BIGINT NOT NULL,
  role_id BIGINT NOT NULL,
  CONSTRAINT pk_invitation_roles PRIMARY KEY (invitation_id, role_id),
  CONSTRAINT fk_invitation_roles_invitation FOREIGN KEY (invitation_id) REFERENCES invitations (id) ON DELETE CASCADE,
  CONSTRAINT fk_invitation_roles_role FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE
);
CREATE INDEX ix_invitation_roles_role ON invitation_roles (role_id);

-- A ticket is what a one-time link stands for: an invitation or a new password.
CREATE TABLE tickets (
  hash TEXT NOT NULL,
  company_id BIGINT,
  invitation_id BIGINT,
  user_id BIGINT,
  created_at {{.STAMP}} NOT NULL,
  expires_at {{.STAMP}} NOT NULL,
  used_at {{.STAMP}},
  CONSTRAINT pk_tickets PRIMARY KEY (hash),
  CONSTRAINT fk_tickets_invitation FOREIGN KEY (company_id, invitation_id) REFERENCES invitations (company_id, id),
  CONSTRAINT fk_tickets_user FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT ck_tickets_subject CHECK ((user_id IS NULL) <> (invitation_id IS NULL) AND (company_id IS NULL) = (invitation_id IS NULL))
);
CREATE INDEX ix_tickets_user ON tickets (user_id, created_at);
CREATE INDEX ix_tickets_invitation ON tickets (invitation_id);
CREATE INDEX ix_tickets_expires_at ON tickets (expires_at);

CREATE TABLE sign_in_attempts (
  key TEXT NOT NULL,
  failures INTEGER NOT NULL,
  last_at {{.STAMP}} NOT NULL,
  until {{.STAMP}} NOT NULL,
  CONSTRAINT pk_sign_in_attempts PRIMARY KEY (key)
);
CREATE INDEX ix_sign_in_attempts_last_at ON sign_in_attempts (last_at);

CREATE TABLE letters (
  id {{.ID}},
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  email TEXT NOT NULL,
  company_id BIGINT,
  invitation_id BIGINT,
  created_at {{.STAMP}} NOT NULL,
  CONSTRAINT uq_letters_key UNIQUE (key),
  CONSTRAINT fk_letters_invitation FOREIGN KEY (company_id, invitation_id) REFERENCES invitations (company_id, id)
);
CREATE INDEX ix_letters_invitation ON letters (company_id, invitation_id);
