-- expand-only
-- How many dates of an order's own series were rejected because a file could not be read: a refresh tries them again.
ALTER TABLE profile_orders ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
