-- The same as migrations/sqlite/0005_bodies.sql, in Postgres' types.

-- Whether what is asked and answered is kept with a route's records.
ALTER TABLE routes ADD COLUMN keep_bodies BOOLEAN NOT NULL DEFAULT FALSE;

-- Sealed by the vault and bound to the request's id.
CREATE TABLE request_bodies (
    id     UUID NOT NULL PRIMARY KEY,
    sealed BYTEA NOT NULL
);
