-- Whom an identity provider knows under which subject. A user is one subject of a provider.
CREATE TABLE user_identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id BIGINT NOT NULL,
  bound_at {{.STAMP}} NOT NULL,
  CONSTRAINT pk_user_identities PRIMARY KEY (issuer, subject),
  CONSTRAINT uq_user_identities_user UNIQUE (user_id, issuer),
  CONSTRAINT fk_user_identities_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT ck_user_identities_words CHECK (issuer <> '' AND subject <> '')
);
