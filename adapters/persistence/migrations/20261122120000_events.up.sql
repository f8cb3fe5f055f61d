-- The outbox is the log of events as well: the relay gives each event its position in
-- the feed of its company. What was published before has none.
ALTER TABLE outbox ADD COLUMN position BIGINT;
ALTER TABLE outbox ADD COLUMN logged_at {{.STAMP}};
UPDATE outbox SET logged_at = published_at WHERE published_at IS NOT NULL;
CREATE UNIQUE INDEX uq_outbox_position ON outbox (company_id, position) WHERE position IS NOT NULL;
CREATE INDEX ix_outbox_unlogged ON outbox (seq) WHERE logged_at IS NULL;
CREATE INDEX ix_outbox_logged_at ON outbox (logged_at) WHERE logged_at IS NOT NULL AND published_at IS NOT NULL;
CREATE INDEX ix_outbox_seen_at ON outbox_seen (seen_at);

-- Positions count up from 1 in each feed; those up to pruned are forgotten.
CREATE TABLE event_feeds (
  company_id BIGINT NOT NULL,
  last BIGINT NOT NULL,
  pruned BIGINT NOT NULL,
  CONSTRAINT pk_event_feeds PRIMARY KEY (company_id),
  CONSTRAINT fk_event_feeds_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT ck_event_feeds_bounds CHECK (pruned >= 0 AND pruned <= last)
);

CREATE TABLE webhooks (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  updated_at {{.STAMP}} NOT NULL,
  deleted_at {{.STAMP}},
  created_by BIGINT,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  event_types {{.JSON}} NOT NULL,
  is_active BOOLEAN NOT NULL,
  disabled_reason TEXT NOT NULL,
  secret TEXT NOT NULL,
  previous_secret TEXT NOT NULL,
  previous_until {{.STAMP}},
  failures INTEGER NOT NULL,
  failing_since {{.STAMP}},
  paused_until {{.STAMP}},
  last_at {{.STAMP}},
  last_delivered BOOLEAN NOT NULL,
  last_status INTEGER NOT NULL,
  CONSTRAINT fk_webhooks_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_webhooks_creator FOREIGN KEY (created_by) REFERENCES users (id),
  CONSTRAINT ck_webhooks_url CHECK (url <> '')
);
CREATE INDEX ix_webhooks_live ON webhooks (company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_webhooks_updated_at ON webhooks (company_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_webhooks_created_by ON webhooks (company_id, created_by, id) WHERE deleted_at IS NULL;

CREATE TABLE webhook_deliveries (
  id {{.ID}},
  company_id BIGINT NOT NULL,
  webhook_id BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  body TEXT NOT NULL,
  test BOOLEAN NOT NULL,
  created_at {{.STAMP}} NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  began_at {{.STAMP}},
  next_try_at {{.STAMP}},
  tried_at {{.STAMP}},
  status_code INTEGER NOT NULL,
  error TEXT NOT NULL,
  answer TEXT NOT NULL,
  duration_us BIGINT NOT NULL,
  CONSTRAINT uq_webhook_deliveries_event UNIQUE (webhook_id, event_id),
  CONSTRAINT fk_webhook_deliveries_company FOREIGN KEY (company_id) REFERENCES companies (id),
  CONSTRAINT fk_webhook_deliveries_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks (id),
  CONSTRAINT ck_webhook_deliveries_state CHECK (state IN ('pending', 'delivered', 'failed')),
  CONSTRAINT ck_webhook_deliveries_next CHECK ((state = 'pending') = (next_try_at IS NOT NULL))
);
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, next_try_at, id) WHERE state = 'pending';
CREATE INDEX ix_webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX ix_webhook_deliveries_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX ix_webhook_deliveries_over ON webhook_deliveries (created_at) WHERE state <> 'pending';
