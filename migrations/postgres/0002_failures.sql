-- The same as migrations/sqlite/0002_failures.sql, in Postgres's types.

ALTER TABLE routes ADD COLUMN retry JSONB NOT NULL
    DEFAULT '{"attempts":2,"statuses":[429,502,503,504]}';
ALTER TABLE routes ADD COLUMN keep_alive BOOLEAN NOT NULL DEFAULT TRUE;

-- Both, or neither where nobody asks whether its instances are well.
ALTER TABLE providers ADD COLUMN health_path TEXT;
ALTER TABLE providers ADD COLUMN health_interval_s BIGINT;

-- Who made a response of the Responses API, so that what follows on it goes there again. The rows
-- outlive what they name, hence no foreign keys, and go by age and number.
CREATE TABLE responses (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key_id      UUID             NOT NULL,
    route_id    UUID             NOT NULL,
    provider_id UUID             NOT NULL,
    instance    TEXT             NOT NULL,
    model       TEXT             NOT NULL,
    created_at  TIMESTAMPTZ      NOT NULL
);
CREATE INDEX responses_by_age ON responses (created_at);
