-- The same tables as migrations/sqlite/0001_first.sql, in Postgres's types. Text collates
-- by bytes, as in SQLite, so that lists and their cursors have one order everywhere.

-- Bumped in the transaction of every change that a gateway must see. A change takes
-- this row first, so that changes come one after the other, whichever process makes them.
CREATE TABLE settings_version (
    one     BIGINT PRIMARY KEY CHECK (one = 1),
    version BIGINT NOT NULL
);
INSERT INTO settings_version (one, version) VALUES (1, 1);

CREATE TABLE settings (
    key   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BYTEA            NOT NULL
);

CREATE TABLE users (
    id            UUID             NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "C" NOT NULL UNIQUE,
    password_hash TEXT             NOT NULL,
    created_at    TIMESTAMPTZ      NOT NULL,
    updated_at    TIMESTAMPTZ      NOT NULL
);

CREATE TABLE sessions (
    token_hash   BYTEA       NOT NULL PRIMARY KEY,
    user_id      UUID        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at   TIMESTAMPTZ NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    address      TEXT        NOT NULL,
    user_agent   TEXT        NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE providers (
    id                UUID             NOT NULL PRIMARY KEY,
    revision          BIGINT           NOT NULL,
    name              TEXT COLLATE "C" NOT NULL UNIQUE,
    kind              TEXT             NOT NULL,
    enabled           BOOLEAN          NOT NULL,
    credential_header TEXT,
    connect_ms        BIGINT           NOT NULL,
    first_byte_ms     BIGINT           NOT NULL,
    idle_ms           BIGINT           NOT NULL,
    speaks            JSONB,
    created_at        TIMESTAMPTZ      NOT NULL,
    updated_at        TIMESTAMPTZ      NOT NULL
);

CREATE TABLE instances (
    id           UUID   NOT NULL PRIMARY KEY,
    provider_id  UUID   NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    position     BIGINT NOT NULL,
    url          TEXT   NOT NULL,
    max_inflight BIGINT,
    UNIQUE (provider_id, url)
);

-- Secrets are sealed by the vault and bound to the id of their row.
CREATE TABLE credentials (
    id          UUID   NOT NULL PRIMARY KEY,
    provider_id UUID   NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    position    BIGINT NOT NULL,
    sealed      BYTEA  NOT NULL,
    hint        TEXT   NOT NULL
);
CREATE INDEX credentials_of_provider ON credentials (provider_id);

CREATE TABLE provider_headers (
    id          UUID             NOT NULL PRIMARY KEY,
    provider_id UUID             NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    name        TEXT COLLATE "C" NOT NULL,
    sealed      BYTEA            NOT NULL,
    UNIQUE (provider_id, name)
);

CREATE TABLE models (
    provider_id UUID             NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    name        TEXT COLLATE "C" NOT NULL,
    position    BIGINT           NOT NULL,
    category    TEXT             NOT NULL,
    PRIMARY KEY (provider_id, name)
);

CREATE TABLE routes (
    id                   UUID             NOT NULL PRIMARY KEY,
    revision             BIGINT           NOT NULL,
    name                 TEXT COLLATE "C" NOT NULL UNIQUE,
    description          TEXT             NOT NULL,
    enabled              BOOLEAN          NOT NULL,
    policy               JSONB            NOT NULL,
    -- What `policy` names as its decision service, held by foreign keys.
    decision_provider_id UUID             REFERENCES providers (id),
    decision_model       TEXT COLLATE "C",
    created_at           TIMESTAMPTZ      NOT NULL,
    updated_at           TIMESTAMPTZ      NOT NULL,
    FOREIGN KEY (decision_provider_id, decision_model) REFERENCES models (provider_id, name)
);
CREATE INDEX routes_by_decision ON routes (decision_provider_id, decision_model);

-- A target holds its model: neither the model nor its provider can go before it.
CREATE TABLE targets (
    id          UUID             NOT NULL PRIMARY KEY,
    route_id    UUID             NOT NULL REFERENCES routes (id) ON DELETE CASCADE,
    position    BIGINT           NOT NULL,
    provider_id UUID             NOT NULL,
    model       TEXT COLLATE "C" NOT NULL,
    weight      BIGINT,
    enabled     BOOLEAN          NOT NULL,
    UNIQUE (route_id, provider_id, model),
    FOREIGN KEY (provider_id, model) REFERENCES models (provider_id, name)
);
CREATE INDEX targets_by_model ON targets (provider_id, model);

CREATE TABLE fallbacks (
    route_id    UUID             NOT NULL REFERENCES routes (id) ON DELETE CASCADE,
    position    BIGINT           NOT NULL,
    provider_id UUID             NOT NULL,
    model       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (route_id, position),
    UNIQUE (route_id, provider_id, model),
    FOREIGN KEY (provider_id, model) REFERENCES models (provider_id, name)
);
CREATE INDEX fallbacks_by_model ON fallbacks (provider_id, model);

CREATE TABLE api_keys (
    id           UUID             NOT NULL PRIMARY KEY,
    name         TEXT COLLATE "C" NOT NULL,
    public       TEXT COLLATE "C" NOT NULL UNIQUE,
    hash         BYTEA            NOT NULL,
    scopes       JSONB            NOT NULL,
    created_at   TIMESTAMPTZ      NOT NULL,
    expires_at   TIMESTAMPTZ,
    last_used_at TIMESTAMPTZ
);
CREATE INDEX api_keys_by_name ON api_keys (name, id);

-- A key without rows here may use every route; hence a route cannot go while a key is limited to it.
CREATE TABLE api_key_routes (
    key_id   UUID NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    route_id UUID NOT NULL REFERENCES routes (id),
    PRIMARY KEY (key_id, route_id)
);
CREATE INDEX api_key_routes_by_route ON api_key_routes (route_id);
