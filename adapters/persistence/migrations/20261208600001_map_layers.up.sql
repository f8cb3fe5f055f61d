-- The layers of the maps that have no dates: of zones, relief and soil. about says what a layer is and where it comes from; one that
-- could not be made says why there, and has no file. An older server would not see the files, so that it must not run beside a newer one.
CREATE TABLE map_layers (
  order_id BIGINT NOT NULL,
  line INTEGER NOT NULL,
  name TEXT NOT NULL,
  about {{.JSON}} NOT NULL,
  object TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  CONSTRAINT pk_map_layers PRIMARY KEY (order_id, line),
  CONSTRAINT uq_map_layers_name UNIQUE (order_id, name),
  CONSTRAINT fk_map_layers_order FOREIGN KEY (order_id) REFERENCES map_orders (id) ON DELETE CASCADE,
  CONSTRAINT ck_map_layers_bytes CHECK (bytes >= 0)
);
