-- The trail of the operator is chained too. It is of no company, so heads and checkpoints refer to none.
INSERT INTO chain_waiting (chain, company_id, row_id) SELECT 'operator', 0, id FROM operator_entries;
{{if .POSTGRES}}
ALTER TABLE chain_heads DROP CONSTRAINT fk_chain_heads_company;
ALTER TABLE chain_checkpoints DROP CONSTRAINT fk_chain_checkpoints_company;
CREATE FUNCTION wait_for_operator_chain() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO chain_waiting (chain, company_id, row_id) VALUES ('operator', 0, NEW.id);
  RETURN NULL;
END
$body$;
CREATE TRIGGER tr_operator_entries_chain AFTER INSERT ON operator_entries FOR EACH ROW EXECUTE FUNCTION wait_for_operator_chain();
{{else}}
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
  CONSTRAINT pk_chain_checkpoints PRIMARY KEY (chain, company_id, position)
);
INSERT INTO chain_checkpoints SELECT * FROM checkpoints_before;
DROP TABLE checkpoints_before;
CREATE INDEX ix_chain_checkpoints_at ON chain_checkpoints (chain, company_id, at);

CREATE TRIGGER tr_operator_entries_chain AFTER INSERT ON operator_entries
  BEGIN INSERT INTO chain_waiting (chain, company_id, row_id) VALUES ('operator', 0, NEW.id); END;
{{end}}
