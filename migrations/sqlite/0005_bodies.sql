-- The same as migrations/postgres/0005_bodies.sql, in SQLite's types.

-- Whether what is asked and answered is kept with a route's records.
ALTER TABLE routes ADD COLUMN keep_bodies INTEGER NOT NULL DEFAULT 0;

-- Sealed by the vault and bound to the request's id.
CREATE TABLE request_bodies (
    id     BLOB NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
