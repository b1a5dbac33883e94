-- The same as migrations/postgres/0002_failures.sql, in SQLite's types.

ALTER TABLE routes ADD COLUMN retry TEXT NOT NULL
    DEFAULT '{"attempts":2,"statuses":[429,502,503,504]}';
ALTER TABLE routes ADD COLUMN keep_alive INTEGER NOT NULL DEFAULT 1;

-- Both, or neither where nobody asks whether its instances are well.
ALTER TABLE providers ADD COLUMN health_path TEXT;
ALTER TABLE providers ADD COLUMN health_interval_s INTEGER;

-- Who made a response of the Responses API, so that what follows on it goes there again. The rows
-- outlive what they name, hence no foreign keys, and go by age and number.
CREATE TABLE responses (
    id          TEXT NOT NULL PRIMARY KEY,
    key_id      BLOB NOT NULL,
    route_id    BLOB NOT NULL,
    provider_id BLOB NOT NULL,
    instance    TEXT NOT NULL,
    model       TEXT NOT NULL,
    created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX responses_by_age ON responses (created_at);
