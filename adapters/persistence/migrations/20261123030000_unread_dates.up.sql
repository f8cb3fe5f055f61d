-- expand-only
-- How many dates of an order's own series were rejected because a file could not be read: a refresh tries them again.
ALTER TABLE profile_orders ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;

UPDATE profile_orders SET unread = (SELECT count(*) FROM profile_observations AS o
  WHERE o.order_id = profile_orders.id AND o.index_code = profile_orders.index_code AND o.reason = 'error');
