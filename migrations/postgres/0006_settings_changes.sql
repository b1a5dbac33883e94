-- The same as migrations/sqlite/0006_settings_changes.sql, in Postgres' types.

-- Which rows each of the latest changes has written or deleted, by the version it made. A gateway reads
-- anew only these; where the versions since its own are not all here, it reads everything.
CREATE TABLE settings_changes (
    version BIGINT           NOT NULL,
    kind    TEXT COLLATE "C" NOT NULL,
    id      UUID             NOT NULL,
    PRIMARY KEY (version, kind, id)
);
