ALTER TABLE profile_orders DROP COLUMN unread;
