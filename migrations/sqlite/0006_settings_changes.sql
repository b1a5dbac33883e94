-- The same as migrations/postgres/0006_settings_changes.sql, in SQLite's types.

-- Which rows each of the latest changes has written or deleted, by the version it made. A gateway reads
-- anew only these; where the versions since its own are not all here, it reads everything.
CREATE TABLE settings_changes (
    version INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    id      BLOB    NOT NULL,
    PRIMARY KEY (version, kind, id)
) STRICT, WITHOUT ROWID;
