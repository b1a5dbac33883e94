-- The same tables as migrations/postgres/0001_first.sql, in SQLite's types:
-- ids are 16-byte blobs, moments RFC 3339 text in UTC, booleans 0 or 1, JSON text.

-- Bumped in the transaction of every change that a gateway must see. A change takes
-- this row first, so that changes come one after the other, whichever process makes them.
CREATE TABLE settings_version (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO settings_version (one, version) VALUES (1, 1);

CREATE TABLE settings (
    key   TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT;

CREATE TABLE users (
    id            BLOB NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
    token_hash   BLOB NOT NULL PRIMARY KEY,
    user_id      BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at   TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    address      TEXT NOT NULL,
    user_agent   TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE providers (
    id                BLOB    NOT NULL PRIMARY KEY,
    revision          INTEGER NOT NULL,
    name              TEXT    NOT NULL UNIQUE,
    kind              TEXT    NOT NULL,
    enabled           INTEGER NOT NULL,
    credential_header TEXT,
    connect_ms        INTEGER NOT NULL,
    first_byte_ms     INTEGER NOT NULL,
    idle_ms           INTEGER NOT NULL,
    speaks            TEXT,
    created_at        TEXT    NOT NULL,
    updated_at        TEXT    NOT NULL
) STRICT;

CREATE TABLE instances (
    id           BLOB    NOT NULL PRIMARY KEY,
    provider_id  BLOB    NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    url          TEXT    NOT NULL,
    max_inflight INTEGER,
    UNIQUE (provider_id, url)
) STRICT;

-- Secrets are sealed by the vault and bound to the id of their row.
CREATE TABLE credentials (
    id          BLOB    NOT NULL PRIMARY KEY,
    provider_id BLOB    NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    sealed      BLOB    NOT NULL,
    hint        TEXT    NOT NULL
) STRICT;
CREATE INDEX credentials_of_provider ON credentials (provider_id);

CREATE TABLE provider_headers (
    id          BLOB NOT NULL PRIMARY KEY,
    provider_id BLOB NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    sealed      BLOB NOT NULL,
    UNIQUE (provider_id, name)
) STRICT;

CREATE TABLE models (
    provider_id BLOB    NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    position    INTEGER NOT NULL,
    category    TEXT    NOT NULL,
    PRIMARY KEY (provider_id, name)
) STRICT;

CREATE TABLE routes (
    id                   BLOB    NOT NULL PRIMARY KEY,
    revision             INTEGER NOT NULL,
    name                 TEXT    NOT NULL UNIQUE,
    description          TEXT    NOT NULL,
    enabled              INTEGER NOT NULL,
    policy               TEXT    NOT NULL,
    -- What `policy` names as its decision service, held by foreign keys.
    decision_provider_id BLOB REFERENCES providers (id),
    decision_model       TEXT,
    created_at           TEXT    NOT NULL,
    updated_at           TEXT    NOT NULL,
    FOREIGN KEY (decision_provider_id, decision_model) REFERENCES models (provider_id, name)
) STRICT;
CREATE INDEX routes_by_decision ON routes (decision_provider_id, decision_model);

-- A target holds its model: neither the model nor its provider can go before it.
CREATE TABLE targets (
    id          BLOB    NOT NULL PRIMARY KEY,
    route_id    BLOB    NOT NULL REFERENCES routes (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    provider_id BLOB    NOT NULL,
    model       TEXT    NOT NULL,
    weight      INTEGER,
    enabled     INTEGER NOT NULL,
    UNIQUE (route_id, provider_id, model),
    FOREIGN KEY (provider_id, model) REFERENCES models (provider_id, name)
) STRICT;
CREATE INDEX targets_by_model ON targets (provider_id, model);

CREATE TABLE fallbacks (
    route_id    BLOB    NOT NULL REFERENCES routes (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    provider_id BLOB    NOT NULL,
    model       TEXT    NOT NULL,
    PRIMARY KEY (route_id, position),
    UNIQUE (route_id, provider_id, model),
    FOREIGN KEY (provider_id, model) REFERENCES models (provider_id, name)
) STRICT;
CREATE INDEX fallbacks_by_model ON fallbacks (provider_id, model);

CREATE TABLE api_keys (
    id           BLOB NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    public       TEXT NOT NULL UNIQUE,
    hash         BLOB NOT NULL,
    scopes       TEXT NOT NULL,
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    last_used_at TEXT
) STRICT;
CREATE INDEX api_keys_by_name ON api_keys (name, id);

-- A key without rows here may use every route; hence a route cannot go while a key is limited to it.
CREATE TABLE api_key_routes (
    key_id   BLOB NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    route_id BLOB NOT NULL REFERENCES routes (id),
    PRIMARY KEY (key_id, route_id)
) STRICT;
CREATE INDEX api_key_routes_by_route ON api_key_routes (route_id);
