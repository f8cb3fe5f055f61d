DELETE FROM chain_waiting WHERE chain = 'operator';
DELETE FROM chain_links WHERE chain = 'operator';
DELETE FROM chain_heads WHERE chain = 'operator';
DELETE FROM chain_checkpoints WHERE chain = 'operator';
{{if .POSTGRES}}
DROP TRIGGER tr_operator_entries_chain ON operator_entries;
DROP FUNCTION wait_for_operator_chain();
ALTER TABLE chain_heads ADD CONSTRAINT fk_chain_heads_company FOREIGN KEY (company_id) REFERENCES companies (id);
ALTER TABLE chain_checkpoints ADD CONSTRAINT fk_chain_checkpoints_company FOREIGN KEY (company_id) REFERENCES companies (id);
{{else}}
DROP TRIGGER tr_operator_entries_chain;

CREATE TABLE heads_before AS SELECT * FROM chain_heads;
DROP TABLE chain_heads;
CREATE TABLE chain_heads (
  chain TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL,
  purged BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  CONSTRAINT pk_chain_heads PRIMARY KEY (chain, company_id),
  CONSTRAINT fk_chain_heads_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_chain_heads_purged CHECK (purged >= 0 AND purged <= position)
);
INSERT INTO chain_heads SELECT * FROM heads_before;
DROP TABLE heads_before;

CREATE TABLE checkpoints_before AS SELECT * FROM chain_checkpoints;
DROP TABLE chain_checkpoints;
CREATE TABLE chain_checkpoints (
  chain TEXT NOT NULL,
  company_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL,
  purged BIGINT NOT NULL,
  at {{.STAMP}} NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  CONSTRAINT pk_chain_checkpoints PRIMARY KEY (chain, company_id, position),
  CONSTRAINT fk_chain_checkpoints_company FOREIGN KEY (company_id) REFERENCES companies (id)
);
INSERT INTO chain_checkpoints SELECT * FROM checkpoints_before;
DROP TABLE checkpoints_before;
CREATE INDEX ix_chain_checkpoints_at ON chain_checkpoints (chain, company_id, at);
{{end}}
